//! Huffman tables as look-ups: the next bits in, the meaning of one or two symbols out.
//!
//! A symbol of the AC tables is a run of zeros and a size, behind which as many bits of the value follow. An entry
//! holds all of it: where the value goes, the value itself, how many bits that took; and, where the same bits
//! hold a second symbol, that one too. Reading a block is a chain of look-ups, each of which waits for the one
//! before it: two symbols at a time is what makes it shorter.

/// Bits of a look-up. 12: two symbols often fit, and both AC tables of an image (32 KiB each) stay in the near caches;
/// 11 was 10 % slower on whole photos in one run, and no slower on crops.
pub(super) const LOOKUP_BITS: u32 = 12;
const LOOKUP_SIZE: usize = 1 << LOOKUP_BITS;
const DC_LOOKUP_BITS: u32 = 9;

/// Added to the position in a block by its end mark: beyond anything that runs of zeros can reach.
pub(super) const END_OF_BLOCK: usize = 128;

/// A table as the file has it: how many codes of each length, and the symbols in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition<'a> {
    pub(super) counts: &'a [u8; 16],
    pub(super) symbols: &'a [u8],
}

/// One code: its bits at the upper end of 16, its length, what it stands for.
#[derive(Debug, Clone, Copy)]
struct Code {
    bits: u32,
    len: u32,
    symbol: u8,
}

impl Definition<'_> {
    /// The codes in order, in place of those in `codes`; `None` if there are more than fit.
    fn read_codes(&self, codes: &mut Vec<Code>) -> Option<()> {
        codes.clear();
        let mut next = 0_u32;
        let mut symbols = self.symbols.iter();
        for (len, count) in (1_u32..).zip(self.counts) {
            for _ in 0..*count {
                // All ones are no code: a padded end would look like it.
                if next >= 0xffff {
                    return None;
                }
                codes.push(Code { bits: next, len, symbol: *symbols.next()? });
                next += 1 << (16 - len);
            }
            if next > 0x1_0000 {
                return None;
            }
        }
        Some(())
    }

    /// The code of `symbol` and its length.
    pub(super) fn code_of(&self, symbol: u8) -> Option<(u32, u32)> {
        let mut codes = Vec::new();
        self.read_codes(&mut codes)?;
        let code = codes.into_iter().find(|code| code.symbol == symbol)?;
        Some((code.bits >> (16 - code.len), code.len))
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        self.counts.iter().chain(self.symbols).copied()
    }

    /// Whether `bytes` are those of this one.
    fn is(&self, bytes: &[u8]) -> bool {
        bytes
            .split_first_chunk::<16>()
            .is_some_and(|(counts, symbols)| counts == self.counts && symbols == self.symbols)
    }
}

/// What the next bits mean; packed, since the tables are large and looked up from everywhere.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(8))]
pub(super) struct AcEntry {
    pub(super) value1: i16,
    pub(super) value2: i16,
    /// Bits of the symbols with their values. 0: the value does not fit; `value1` is then the length of the code (0: that
    /// does not fit either), `offset1` the run of zeros and `offset2` the size of the value.
    pub(super) num_bits: u8,
    /// How far behind the current position the values go, and how far it moves.
    pub(super) offset1: u8,
    pub(super) offset2: u8,
    pub(super) advance: u8,
}

/// One component's AC table.
#[derive(Debug)]
pub(super) struct AcTable {
    /// What it was built from; empty while it is none.
    definition: Vec<u8>,
    pub(super) entries: Box<[AcEntry; LOOKUP_SIZE]>,
    long: LongCodes,
}

/// One component's DC table: 256 × length + size; 0 is a longer code.
#[derive(Debug)]
pub(super) struct DcTable {
    /// What it was built from; empty while it is none.
    definition: Vec<u8>,
    entries: Box<[u16; 1 << DC_LOOKUP_BITS]>,
    long: LongCodes,
}

/// What tables are built with.
#[derive(Debug, Default)]
struct Workbench {
    codes: Vec<Code>,
    /// Every entry with one symbol alone.
    singles: Vec<AcEntry>,
}

/// Every code by its length, for those that no entry holds.
#[derive(Debug, Default)]
struct LongCodes {
    /// By length: the first 16 bits that are beyond the codes of this length; and what to add to the code's number.
    limits: [(u32, i32); 17],
    symbols: Vec<u8>,
}

impl LongCodes {
    fn rebuild(&mut self, codes: &[Code]) {
        self.limits = [(0, 0); 17];
        let mut end = 0;
        for len in 1..=16_u32 {
            let of_len = |code: &&Code| code.len == len;
            if let Some(index) = codes.iter().position(|code| code.len == len) {
                let first = codes[index].bits >> (16 - len);
                self.limits[len as usize].1 = index as i32 - first as i32;
                end = codes.iter().rfind(of_len).map_or(end, |last| last.bits + (1 << (16 - len)));
            }
            self.limits[len as usize].0 = end;
        }
        self.symbols.clear();
        self.symbols.extend(codes.iter().map(|code| code.symbol));
    }

    /// Length and symbol of the code at the beginning of these 16 bits.
    fn find(&self, bits: u32) -> Option<(u32, u8)> {
        let len = (1..=16_u32).find(|len| bits < self.limits[*len as usize].0)?;
        let index = (bits >> (16 - len)) as i32 + self.limits[len as usize].1;
        Some((len, *self.symbols.get(usize::try_from(index).ok()?)?))
    }
}

/// The value that `size` bits stand for: the lower half of them are the negative ones.
#[inline]
pub(super) fn extend(bits: u32, size: u32) -> i32 {
    let bits = bits as i32;
    if bits < (1 << size) >> 1 { bits - (1 << size) + 1 } else { bits }
}

/// A table that says nothing yet.
impl Default for AcTable {
    fn default() -> Self {
        let entries = vec![AcEntry::default(); LOOKUP_SIZE];
        let entries = entries.try_into().expect("as many entries");
        Self { definition: Vec::new(), entries, long: LongCodes::default() }
    }
}

impl AcTable {
    /// Makes it the table of `definition`, in the same memory; `None` if that is none.
    fn rebuild(&mut self, definition: Definition<'_>, workbench: &mut Workbench) -> Option<()> {
        self.definition.clear();
        let Workbench { codes, singles } = workbench;
        definition.read_codes(codes)?;
        singles.clear();
        singles.resize(LOOKUP_SIZE, AcEntry::default());
        for code in codes.iter().filter(|code| code.len <= LOOKUP_BITS) {
            fill_single(singles, code);
        }
        for (index, entry) in self.entries.iter_mut().enumerate() {
            *entry = pair(singles, index);
        }
        self.long.rebuild(codes);
        self.definition.extend(definition.bytes());
        Some(())
    }

    /// Length of the code at the beginning of these 16 bits, the run of zeros and the size of the value.
    #[inline(never)]
    pub(super) fn slow(&self, bits: u32) -> Option<(u32, usize, u32)> {
        let (len, symbol) = self.long.find(bits)?;
        Some((len, usize::from(symbol >> 4), u32::from(symbol & 15)))
    }
}

/// The entries that begin with a code and, in full, the bits of its value.
fn fill_single(entries: &mut [AcEntry], code: &Code) {
    let (run, size) = (code.symbol >> 4, u32::from(code.symbol & 15));
    let num_bits = code.len + size;
    let first = (code.bits >> (16 - LOOKUP_BITS)) as usize;
    if num_bits > LOOKUP_BITS {
        let entry =
            AcEntry { value1: code.len as i16, offset1: run, offset2: size as u8, ..AcEntry::default() };
        entries[first..first + (1 << (LOOKUP_BITS - code.len))].fill(entry);
        return;
    }
    let entry = |value: i32| AcEntry {
        value1: value as i16,
        value2: 0,
        num_bits: num_bits as u8,
        offset1: run,
        offset2: run,
        advance: match (run, size) {
            (15, 0) => 16,
            (_, 0) => END_OF_BLOCK as u8,
            _ => run + 1,
        },
    };
    let repeats = 1 << (LOOKUP_BITS - num_bits);
    for bits in 0..1 << size {
        let value = if size == 0 { 0 } else { extend(bits, size) };
        let from = first + bits as usize * repeats;
        entries[from..from + repeats].fill(entry(value));
    }
}

/// The symbol that these bits begin with and, if what is left of them holds it in full, the one after it.
fn pair(singles: &[AcEntry], index: usize) -> AcEntry {
    // A second store always happens. Of nothing, it writes a zero where the first value goes; that one is stored last.
    let first = singles[index];
    if first.num_bits == 0 || usize::from(first.advance) >= END_OF_BLOCK {
        return first;
    }
    let second = singles[(index << first.num_bits) & (LOOKUP_SIZE - 1)];
    if second.num_bits == 0 || u32::from(first.num_bits + second.num_bits) > LOOKUP_BITS {
        return first;
    }
    // The zero that an end mark or sixteen zeros store must not hit the first value: it lies behind it.
    AcEntry {
        value2: second.value1,
        num_bits: first.num_bits + second.num_bits,
        offset2: first.advance + second.offset1,
        advance: first.advance + second.advance,
        ..first
    }
}

/// A table that says nothing yet.
impl Default for DcTable {
    fn default() -> Self {
        Self {
            definition: Vec::new(),
            entries: Box::new([0; 1 << DC_LOOKUP_BITS]),
            long: LongCodes::default(),
        }
    }
}

impl DcTable {
    /// Makes it the table of `definition`, in the same memory; `None` if that is none.
    fn rebuild(&mut self, definition: Definition<'_>, workbench: &mut Workbench) -> Option<()> {
        self.definition.clear();
        let codes = &mut workbench.codes;
        definition.read_codes(codes)?;
        if codes.iter().any(|code| code.symbol > 15) {
            return None;
        }
        self.entries.fill(0);
        for code in codes.iter().filter(|code| code.len <= DC_LOOKUP_BITS) {
            let first = (code.bits >> (16 - DC_LOOKUP_BITS)) as usize;
            self.entries[first..first + (1 << (DC_LOOKUP_BITS - code.len))]
                .fill((code.len * 256) as u16 + u16::from(code.symbol));
        }
        self.long.rebuild(codes);
        self.definition.extend(definition.bytes());
        Some(())
    }

    /// Length of the code at the beginning of these 16 bits and the size of the value behind it.
    #[inline]
    pub(super) fn find(&self, bits: u32) -> Option<(u32, u32)> {
        let entry = self.entries[(bits >> (16 - DC_LOOKUP_BITS)) as usize & ((1 << DC_LOOKUP_BITS) - 1)];
        if entry == 0 {
            return self.long.find(bits).map(|(len, size)| (len, u32::from(size)));
        }
        Some((u32::from(entry >> 8), u32::from(entry & 255)))
    }
}

/// The tables of the file at hand. Those that the file before had too are not built again; others are, in the memory of those before.
#[derive(Debug, Default)]
pub(super) struct HuffmanTables {
    dc: [Option<DcTable>; 4],
    ac: [Option<AcTable>; 4],
    workbench: Workbench,
}

impl HuffmanTables {
    pub(super) fn define_dc(&mut self, index: usize, definition: Definition<'_>) -> Option<()> {
        let table = self.dc[index].get_or_insert_default();
        if definition.is(&table.definition) {
            return Some(());
        }
        table.rebuild(definition, &mut self.workbench)
    }

    pub(super) fn define_ac(&mut self, index: usize, definition: Definition<'_>) -> Option<()> {
        let table = self.ac[index].get_or_insert_default();
        if definition.is(&table.definition) {
            return Some(());
        }
        table.rebuild(definition, &mut self.workbench)
    }

    pub(super) fn dc(&self, index: usize) -> Option<&DcTable> {
        self.dc.get(index)?.as_ref().filter(|table| !table.definition.is_empty())
    }

    pub(super) fn ac(&self, index: usize) -> Option<&AcTable> {
        self.ac.get(index)?.as_ref().filter(|table| !table.definition.is_empty())
    }
}
