//! Sequential JPEGs whose components come in several scans, each with one of them or some: put together into one scan, which is what our
//! decoder takes. The library takes such files only if each scan has one component. The other way round, components taken apart into
//! gray images.
//!
//! Coefficients stay the bits they are. Only the first of each block, which is coded as the difference to the block before it, is
//! coded anew: in another order it has another block before it.

use std::rc::Rc;

use super::entropy::{BitReader, BlockTables};
use super::frame::{FrameHeader, Quantization, frame_header, read_huffman, read_quantization};
use super::huffman::{Definition, HuffmanTables};
use super::markers::{EOI, Marker, Markers, SOS};
use super::segments::Segments;

/// A block as it lies in a scan.
#[derive(Clone, Copy, Default)]
pub(super) struct CodedBlock {
    dc: i32,
    /// The bits of the other coefficients, in the bytes of the component's scan. None: there is no such block in the file, it only fills up
    /// the last row or column.
    start: usize,
    end: usize,
}

/// A component, as far as it has been read.
pub(super) struct Component<'a> {
    id: u8,
    horizontal: usize,
    vertical: usize,
    quantization_table: usize,
    columns: usize,
    pub(super) blocks: Vec<CodedBlock>,
    /// What its scan had: the bits, and what they are read with.
    scan: Option<ComponentScan<'a>>,
}

struct ComponentScan<'a> {
    plain: Rc<Vec<u8>>,
    ac: Definition<'a>,
    factors: [u16; 64],
}

/// The same image in one scan; `None` if it is in one, or is no sequential image of 8 bits, or is damaged. Takes some 40 bytes of memory for
/// every block of 64 pixels of a component: the caller has held the size of the image against a limit.
pub(super) fn in_one_scan(bytes: &[u8]) -> Option<Vec<u8>> {
    let (head, image) = read(bytes, false)?;
    let all: Vec<usize> = (0..image.components.len()).collect();
    image.write(head, &all)
}

/// A component as an image of its own.
pub(super) struct GrayComponent {
    pub(super) jpeg: Vec<u8>,
    pub(super) width: usize,
    pub(super) height: usize,
    /// How many samples there are across and down where the largest component has `most`.
    pub(super) horizontal: usize,
    pub(super) vertical: usize,
    pub(super) most: (usize, usize),
    /// Whether it is one that our own decoder does not take.
    pub(super) is_progressive: bool,
}

/// The components of an image, each as a gray one; `None` as of [`in_one_scan`], but all may be in one scan.
pub(super) fn by_component(bytes: &[u8]) -> Option<Vec<GrayComponent>> {
    let (head, image) = read(bytes, true)?;
    let gray = |(index, component): (usize, &Component<'_>)| {
        Some(image.gray(component, image.write(head.clone(), &[index])?, false))
    };
    image.components.iter().enumerate().map(gray).collect()
}

/// The markers that are neither of scans nor for them, and the image.
fn read(bytes: &[u8], takes_one_scan: bool) -> Option<(Vec<u8>, Image<'_>)> {
    let mut markers = Markers::new(bytes);
    let mut quantization: Quantization = [None; 4];
    let mut huffman: [[Option<Definition<'_>>; 4]; 2] = Default::default();
    let mut frame: Option<FrameHeader> = None;
    let mut image: Option<Image<'_>> = None;
    let mut restart_interval = 0;
    let mut head = Vec::new();
    loop {
        let Marker { code, offset, body } = markers.next("a scan").ok()?;
        match code {
            0xc0 | 0xc1 if frame.is_none() => frame = Some(frame_header(body)?),
            0xc4 => read_huffman(body, &mut huffman)?,
            0xc0..=0xcf => return None,
            0xdb => read_quantization(body, &mut quantization)?,
            0xdd => restart_interval = usize::from(u16::from_be_bytes(body.try_into().ok()?)),
            SOS => {
                let frame = frame.as_ref()?;
                if usize::from(*body.first()?) == frame.components.len() && !takes_one_scan {
                    return None;
                }
                if image.is_none() {
                    image = Some(Image::new(frame)?);
                }
                let image = image.as_mut()?;
                image.read_scan(
                    bytes,
                    markers.position(),
                    body,
                    (&huffman, &quantization),
                    restart_interval,
                )?;
                markers.skip_entropy_coded(1).ok()?;
                if image.components.iter().all(|component| component.scan.is_some()) {
                    break;
                }
            }
            EOI => return None,
            _ => head.extend_from_slice(bytes.get(offset..markers.position())?),
        }
    }
    Some((head, image?))
}

/// What lies where.
pub(super) struct Image<'a> {
    width: usize,
    height: usize,
    /// MCUs of a scan with all components, across and down, and the most blocks of a component in one.
    mcus: (usize, usize),
    most: (usize, usize),
    pub(super) components: Vec<Component<'a>>,
}

impl<'a> Image<'a> {
    pub(super) fn new(frame: &FrameHeader) -> Option<Image<'a>> {
        let &FrameHeader { height, width, components } = frame;
        let factors = |component: &[u8; 3]| (usize::from(component[1] >> 4), usize::from(component[1] & 15));
        let is_valid = |component: &[u8; 3]| {
            let (horizontal, vertical) = factors(component);
            (1..=4).contains(&horizontal) && (1..=4).contains(&vertical)
        };
        if !(2..=4).contains(&components.len()) || !components.iter().all(is_valid) {
            return None;
        }
        let most = (
            components.iter().map(|component| factors(component).0).max()?,
            components.iter().map(|component| factors(component).1).max()?,
        );
        let mcus = (width.div_ceil(8 * most.0), height.div_ceil(8 * most.1));
        let component = |component: &[u8; 3]| {
            let (horizontal, vertical) = factors(component);
            let columns = mcus.0 * horizontal;
            let blocks = vec![CodedBlock::default(); columns * mcus.1 * vertical];
            let (id, quantization_table) = (component[0], usize::from(component[2]));
            Component { id, horizontal, vertical, quantization_table, columns, blocks, scan: None }
        };
        Some(Image { width, height, mcus, most, components: components.iter().map(component).collect() })
    }

    /// Reads the blocks of the scan at `start`, whose header is `body`.
    fn read_scan(
        &mut self,
        bytes: &[u8],
        start: usize,
        body: &[u8],
        (huffman, quantization): (&[[Option<Definition<'a>>; 4]; 2], &Quantization),
        restart_interval: usize,
    ) -> Option<()> {
        let (&num_components, rest) = body.split_first()?;
        let (selectors, parameters) = rest.split_at_checked(2 * usize::from(num_components))?;
        if parameters != [0, 63, 0] {
            return None;
        }
        let mut segments = Segments::default();
        segments.begin(start, restart_interval > 0);
        segments.ensure_all(bytes);
        let plain = Rc::new(segments.plain().to_vec());
        let mut tables = HuffmanTables::default();
        let mut chosen = Vec::new();
        for (place, &[id, numbers]) in selectors.as_chunks::<2>().0.iter().enumerate() {
            let index = self.component_of(id)?;
            let component = &mut self.components[index];
            let (dc, ac) =
                (huffman[0].get(usize::from(numbers >> 4)), huffman[1].get(usize::from(numbers & 15)));
            let ac = (*ac?)?;
            tables.define_dc(place, (*dc?)?)?;
            tables.define_ac(place, ac)?;
            let factors = (*quantization.get(component.quantization_table)?)?;
            let scan = ComponentScan { plain: Rc::clone(&plain), ac, factors };
            // A second scan of a component would be a correction, which sequential images do not have.
            if component.scan.replace(scan).is_some() {
                return None;
            }
            chosen.push(index);
        }
        let places = self.places(&chosen);
        let blocks_of_mcu = self.blocks_of_mcu(&chosen);
        let mut reader = BitReader::at(0);
        let mut before = [0; 4];
        for (number, (place, block)) in places.into_iter().enumerate() {
            if restart_interval > 0 && number > 0 && number % (restart_interval * blocks_of_mcu) == 0 {
                let restart = number / (restart_interval * blocks_of_mcu) - 1;
                let position = segments.restart(bytes, restart)?;
                if reader.bytes_used() > position {
                    return None;
                }
                reader = BitReader::at(position);
                before = [0; 4];
            }
            let tables = BlockTables { dc: tables.dc(place)?, ac: tables.ac(place)?, factors: [0; 128] };
            let dc_bits = reader.dc_bits(&plain, &tables)?;
            let begin = reader.bit_position();
            reader.read_block::<false>(&plain, &tables, &mut before[place], &mut [0; 64]).ok()?;
            if reader.bytes_used() > segments.len() {
                return None;
            }
            let coded = CodedBlock { dc: before[place], start: begin + dc_bits, end: reader.bit_position() };
            self.components[chosen[place]].blocks[block] = coded;
        }
        Some(())
    }

    /// The number of the component called `id`.
    pub(super) fn component_of(&self, id: u8) -> Option<usize> {
        self.components.iter().position(|component| component.id == id)
    }

    /// Component `component` as an image of its own.
    pub(super) fn gray(
        &self,
        component: &Component<'_>,
        jpeg: Vec<u8>,
        is_progressive: bool,
    ) -> GrayComponent {
        let (width, height) = self.size_of(component);
        let &Component { horizontal, vertical, .. } = component;
        GrayComponent { jpeg, width, height, horizontal, vertical, most: self.most, is_progressive }
    }

    /// Blocks of an MCU in a scan of the components `chosen`.
    pub(super) fn blocks_of_mcu(&self, chosen: &[usize]) -> usize {
        match chosen {
            [_] => 1,
            _ => chosen
                .iter()
                .map(|&index| &self.components[index])
                .map(|one| one.horizontal * one.vertical)
                .sum(),
        }
    }

    /// Samples of a component, across and down.
    pub(super) fn size_of(&self, component: &Component<'_>) -> (usize, usize) {
        (
            (self.width * component.horizontal).div_ceil(self.most.0),
            (self.height * component.vertical).div_ceil(self.most.1),
        )
    }

    /// The blocks of a scan of the components `chosen`, in order: of which of them, and which of its blocks.
    pub(super) fn places(&self, chosen: &[usize]) -> Vec<(usize, usize)> {
        if let &[index] = chosen {
            let columns = self.components[index].columns;
            // Only what the image needs, not what fills up the last MCUs.
            let (width, height) = self.size_of(&self.components[index]);
            let (wanted, rows) = (width.div_ceil(8), height.div_ceil(8));
            return (0..rows).flat_map(|y| (0..wanted).map(move |x| (0, y * columns + x))).collect();
        }
        let mut places = Vec::new();
        for row in 0..self.mcus.1 {
            for column in 0..self.mcus.0 {
                for (place, &index) in chosen.iter().enumerate() {
                    let Component { horizontal, vertical, columns, .. } = self.components[index];
                    for y in row * vertical..(row + 1) * vertical {
                        let first = y * columns + column * horizontal;
                        places.extend((first..first + horizontal).map(|block| (place, block)));
                    }
                }
            }
        }
        places
    }

    /// The components `chosen`, all of them or one, behind `head` in one scan.
    fn write(&self, head: Vec<u8>, chosen: &[usize]) -> Option<Vec<u8>> {
        let mut out = head;
        let components: Vec<&Component<'_>> = chosen.iter().map(|&index| &self.components[index]).collect();
        let num_components = components.len() as u8;
        let (width, height) = match components[..] {
            [only] => self.size_of(only),
            _ => (self.width, self.height),
        };
        let scans: Vec<&ComponentScan<'_>> =
            components.iter().map(|component| component.scan.as_ref()).collect::<Option<_>>()?;
        for (number, scan) in (0..).zip(&scans) {
            let mut table = vec![0x10 | number];
            table.extend(scan.factors.iter().flat_map(|factor| factor.to_be_bytes()));
            segment(&mut out, 0xdb, &table);
        }
        let side = |side: usize| (side as u16).to_be_bytes();
        let mut frame = vec![8];
        frame.extend(side(height).into_iter().chain(side(width)).chain([num_components]));
        for (number, component) in (0..).zip(&components) {
            frame.extend([component.id, (component.horizontal << 4 | component.vertical) as u8, number]);
        }
        segment(&mut out, 0xc1, &frame);
        segment(&mut out, 0xc4, &flat_dc_table());
        for (number, scan) in (0..).zip(&scans) {
            let mut table = vec![0x10 | number];
            table.extend(scan.ac.counts.iter().chain(scan.ac.symbols));
            segment(&mut out, 0xc4, &table);
        }
        let mut scan = vec![num_components];
        (0..).zip(&components).for_each(|(number, component)| scan.extend([component.id, number]));
        scan.extend([0, 63, 0]);
        segment(&mut out, SOS, &scan);
        self.write_blocks(chosen, &scans, &mut out)?;
        out.extend([0xff, EOI]);
        Some(out)
    }

    fn write_blocks(&self, chosen: &[usize], scans: &[&ComponentScan<'_>], out: &mut Vec<u8>) -> Option<()> {
        let ends: Vec<Option<(u32, u32)>> = scans.iter().map(|scan| scan.ac.code_of(0)).collect();
        let mut writer = BitWriter::new(out);
        let mut before = [0; 4];
        for (index, block) in self.places(chosen) {
            let CodedBlock { dc, start, end } = self.components[chosen[index]].blocks[block];
            let is_there = end > start;
            let difference = if is_there { dc.wrapping_sub(before[index]) } else { 0 };
            before[index] = before[index].wrapping_add(difference);
            writer.push_difference(difference)?;
            if is_there {
                writer.copy(&scans[index].plain, start, end);
            } else {
                let (code, len) = ends[index]?;
                writer.push(code, len);
            }
        }
        writer.finish();
        Some(())
    }
}

/// How many sizes a difference of two DC values of 8-bit images can have.
const DC_SIZES: u8 = 12;

/// The body of a segment with the table of [`BitWriter::push_difference`], number 0.
pub(super) fn flat_dc_table() -> Vec<u8> {
    // Sizes from 0 to 11, each with a code of four bits: itself.
    let mut table = vec![0; 17];
    table[4] = DC_SIZES;
    table.extend(0..DC_SIZES);
    table
}

pub(super) fn segment(out: &mut Vec<u8>, code: u8, body: &[u8]) {
    out.extend([0xff, code]);
    out.extend(((body.len() + 2) as u16).to_be_bytes());
    out.extend_from_slice(body);
}

/// Bits as a scan has them: a zero behind each byte FF.
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    bits: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    /// Behind what is in `out`.
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, bits: 0, count: 0 }
    }

    /// The difference of two DC values, by the codes of [`flat_dc_table`]; `None` if there is no code for it.
    pub(super) fn push_difference(&mut self, difference: i32) -> Option<()> {
        let size = difference.unsigned_abs().checked_ilog2().map_or(0, |log| log + 1);
        if size >= u32::from(DC_SIZES) {
            return None;
        }
        let value = if difference < 0 { difference - 1 } else { difference };
        self.push(size, 4);
        self.push(value.cast_unsigned() & ((1 << size) - 1), size);
        Some(())
    }

    /// At most 32 bits.
    pub(super) fn push(&mut self, bits: u32, count: u32) {
        self.bits = self.bits << count | u64::from(bits);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.bits >> self.count) as u8;
            self.out.push(byte);
            if byte == 0xff {
                self.out.push(0);
            }
        }
    }

    /// The bits of `plain` from `start` to `end`.
    fn copy(&mut self, plain: &[u8], mut start: usize, end: usize) {
        while start < end {
            let (byte, skipped) = (plain[start / 8], start % 8);
            let count = (8 - skipped).min(end - start);
            let bits = (u32::from(byte) << skipped & 0xff) >> (8 - count);
            self.push(bits, count as u32);
            start += count;
        }
    }

    /// Fills up the last byte with ones.
    pub(super) fn finish(mut self) {
        if self.count > 0 {
            let missing = 8 - self.count;
            self.push((1 << missing) - 1, missing);
        }
    }
}
