"""A baseline JPEG with its components in scans of their own: the same coefficients, in another order."""


def in_scans(data, groups):
    """`data`, an interleaved baseline JPEG without restarts, with a scan for each of `groups`, which are lists of components."""
    head, tables, frame, entropy = parsed(data)
    components, width, height = frame
    most = [max(component["factors"][axis] for component in components) for axis in (0, 1)]
    mcus = [-(-size // (8 * factor)) for size, factor in zip((width, height), most)]
    blocks = read_blocks(entropy, components, tables, mcus)
    out = bytearray(head)
    for group in groups:
        chosen = [components[index] for index in group]
        out += b"\xff\xda" + (6 + 2 * len(group)).to_bytes(2, "big") + bytes([len(group)])
        out += b"".join(bytes([one["id"], one["tables"]]) for one in chosen) + b"\0\x3f\0"
        bits, before = [], {}
        for index, place in order(group, components, mcus, most, width, height):
            dc, rest = blocks[index][place]
            component = components[index]
            bits.append(coded_dc(dc - before.get(index, 0), tables[0, component["tables"] >> 4][1]) + rest)
            before[index] = dc
        text = "".join(bits)
        text += "1" * (-len(text) % 8)
        out += int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0")
    return bytes(out) + b"\xff\xd9"


def order(group, components, mcus, most, width, height):
    """The component and the place of each block of a scan."""
    if len(group) == 1:
        h, v = components[group[0]]["factors"]
        columns, rows = -(-width * h // (8 * most[0])), -(-height * v // (8 * most[1]))
        return [(group[0], (y, x)) for y in range(rows) for x in range(columns)]
    return list(interleaved(group, components, mcus))


def interleaved(group, components, mcus):
    for my in range(mcus[1]):
        for mx in range(mcus[0]):
            for index in group:
                h, v = components[index]["factors"]
                for y in range(v):
                    for x in range(h):
                        yield index, (my * v + y, mx * h + x)


def parsed(data):
    """What stands before the scan, the Huffman tables by class and number, the frame, and the bits of the scan."""
    tables, position = {}, 2
    while True:
        code, length = data[position + 1], int.from_bytes(data[position + 2 : position + 4], "big")
        body = data[position + 4 : position + 2 + length]
        if code == 0xC0:
            height, width = (int.from_bytes(body[at : at + 2], "big") for at in (1, 3))
            parts = [body[6 + 3 * index : 9 + 3 * index] for index in range(body[5])]
            components = [{"id": one[0], "factors": (one[1] >> 4, one[1] & 15)} for one in parts]
        while code == 0xC4 and body:
            counts, symbols, value, codes = body[1:17], body[17 : 17 + sum(body[1:17])], 0, {}
            symbol = iter(symbols)
            for bits, count in enumerate(counts, 1):
                for _ in range(count):
                    codes[f"{value:0{bits}b}"] = next(symbol)
                    value += 1
                value <<= 1
            tables[body[0] >> 4, body[0] & 15] = codes, {symbol: code for code, symbol in codes.items()}
            body = body[17 + sum(counts) :]
        if code == 0xDA:
            for index, component in enumerate(components):
                component["tables"] = body[2 + 2 * index]
            coded = data[position + 2 + length : -2].replace(b"\xff\0", b"\xff")
            bits = bin(int.from_bytes(b"\1" + coded, "big"))[3:]
            return data[:position], tables, (components, width, height), bits
        position += 2 + length


def read_blocks(bits, components, tables, mcus):
    """Of each component the blocks by their places: the DC value, and the bits of the others as they are."""
    blocks, before, at = [{} for _ in components], [0] * len(components), 0

    def symbol(codes):
        nonlocal at
        end = at + 1
        while bits[at:end] not in codes:
            end += 1
        found, at = codes[bits[at:end]], end
        return found

    for index, place in interleaved(range(len(components)), components, mcus):
        numbers = components[index]["tables"]
        size = symbol(tables[0, numbers >> 4][0])
        value = int(bits[at : at + size] or "0", 2)
        at += size
        before[index] += value - (1 << size) + 1 if size and value < 1 << (size - 1) else value
        start, coefficient = at, 1
        while coefficient < 64:
            run_and_size = symbol(tables[1, numbers & 15][0])
            if run_and_size == 0:
                break
            at += run_and_size & 15
            coefficient += (run_and_size >> 4) + 1
        blocks[index][place] = before[index], bits[start:at]
    return blocks


def coded_dc(difference, codes):
    size = abs(difference).bit_length()
    value = difference if difference > 0 else difference + (1 << size) - 1
    return codes[size] + (f"{value:0{size}b}" if size else "")
