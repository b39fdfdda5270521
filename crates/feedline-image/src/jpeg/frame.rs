//! What a baseline JPEG says before its pixels: sizes, tables, sampling, restarts.

use super::huffman::{Definition, HuffmanTables};
use super::markers::{Marker, Markers, SOS};

/// How the colours lie: luma at full size, chroma at full size or at half of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampling {
    Gray,
    /// 4:4:4.
    Full,
    /// 4:2:2: chroma has half the columns.
    HalfColumns,
    /// 4:2:0: chroma has half the columns and half the rows.
    HalfBoth,
}

impl Sampling {
    pub(super) fn num_components(self) -> usize {
        if self == Self::Gray { 1 } else { 3 }
    }

    /// Blocks of luma in an MCU, across and down; of each chroma there is one.
    pub(super) fn luma_blocks(self) -> (usize, usize) {
        match self {
            Self::Gray | Self::Full => (1, 1),
            Self::HalfColumns => (2, 1),
            Self::HalfBoth => (2, 2),
        }
    }
}

/// Of one component: its quantization factors in zigzag order, and which Huffman tables it uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component {
    pub(super) factors: [u16; 64],
    pub(super) dc_table: usize,
    pub(super) ac_table: usize,
}

/// All that the markers before the pixels say.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) sampling: Sampling,
    /// As many as the sampling has; the rest repeats the first.
    pub(super) components: [Component; 3],
    /// MCUs between restart markers; 0 if there are none.
    pub(super) restart_interval: usize,
    /// Where the entropy-coded bytes begin.
    pub(super) scan_offset: usize,
}

/// `YCbCr` or not, as libjpeg decides it.
#[derive(Default)]
struct ColourHints {
    is_jfif: bool,
    adobe_transform: Option<u8>,
}

pub(super) struct FrameHeader<'a> {
    pub(super) height: usize,
    pub(super) width: usize,
    /// Id, sampling, quantization table.
    pub(super) components: &'a [[u8; 3]],
}

/// Quantization factors by the number of their table, in zigzag order.
pub(super) type Quantization = [Option<[u16; 64]>; 4];

/// Reads the markers up to the pixels. `None`: not a file for our decoder, be it unusual or damaged.
pub(super) fn parse(bytes: &[u8], tables: &mut HuffmanTables) -> Option<Frame> {
    let mut markers = Markers::new(bytes);
    let mut quantization: Quantization = [None; 4];
    let mut huffman: [[Option<Definition<'_>>; 4]; 2] = Default::default();
    let mut frame: Option<FrameHeader<'_>> = None;
    let mut hints = ColourHints::default();
    let mut restart_interval = 0;
    loop {
        let Marker { code, body, .. } = markers.next("a scan").ok()?;
        match code {
            0xc0 | 0xc1 if frame.is_none() => frame = Some(frame_header(body)?),
            0xc4 => read_huffman(body, &mut huffman)?,
            0xc2..=0xcf | 0xc0 | 0xc1 | 0xd9 => return None,
            0xdb => read_quantization(body, &mut quantization)?,
            0xdd => restart_interval = usize::from(u16::from_be_bytes(body.try_into().ok()?)),
            0xe0 if body.starts_with(b"JFIF\0") && body.len() >= 14 => hints.is_jfif = true,
            0xee if body.starts_with(b"Adobe") && body.len() >= 12 => hints.adobe_transform = Some(body[11]),
            SOS => {
                let FrameHeader { height, width, components } = frame?;
                let sampling = sampling(components, &hints)?;
                let components = scan(body, components, &quantization)?;
                for component in &components[..sampling.num_components()] {
                    tables.define_dc(component.dc_table, huffman[0][component.dc_table]?)?;
                    tables.define_ac(component.ac_table, huffman[1][component.ac_table]?)?;
                }
                let scan_offset = markers.position();
                return Some(Frame { width, height, sampling, components, restart_interval, scan_offset });
            }
            _ => {}
        }
    }
}

pub(super) fn frame_header(body: &[u8]) -> Option<FrameHeader<'_>> {
    let &[8, h1, h0, w1, w0, num_components, ref rest @ ..] = body else { return None };
    let components = rest.as_chunks::<3>().0;
    if components.len() != usize::from(num_components) {
        return None;
    }
    let size = |high, low| usize::from(u16::from_be_bytes([high, low]));
    Some(FrameHeader { height: size(h1, h0), width: size(w1, w0), components })
}

fn sampling(components: &[[u8; 3]], hints: &ColourHints) -> Option<Sampling> {
    let &[luma, blue, red] = components else {
        // A single component has no other to be sampled against, whatever it says.
        return (components.len() == 1).then_some(Sampling::Gray);
    };
    let is_rgb = match (hints.is_jfif, hints.adobe_transform) {
        (true, _) => false,
        (false, Some(transform)) => transform == 0,
        (false, None) => [luma[0], blue[0], red[0]] == *b"RGB",
    };
    match (is_rgb, luma[1], blue[1], red[1]) {
        (false, 0x11, 0x11, 0x11) => Some(Sampling::Full),
        (false, 0x21, 0x11, 0x11) => Some(Sampling::HalfColumns),
        (false, 0x22, 0x11, 0x11) => Some(Sampling::HalfBoth),
        _ => None,
    }
}

/// The scan that holds all components, whole.
fn scan(body: &[u8], frame: &[[u8; 3]], quantization: &Quantization) -> Option<[Component; 3]> {
    let (&num_components, rest) = body.split_first()?;
    let (selectors, parameters) = rest.split_at_checked(2 * usize::from(num_components))?;
    if usize::from(num_components) != frame.len() || parameters != [0, 63, 0] {
        return None;
    }
    let mut components = [None; 3];
    let selected = selectors.as_chunks::<2>().0.iter().zip(frame);
    for (component, (&[id, tables], &[expected, _, quantization_table])) in
        components.iter_mut().zip(selected)
    {
        let (dc_table, ac_table) = (usize::from(tables >> 4), usize::from(tables & 15));
        if id != expected || dc_table > 3 || ac_table > 3 {
            return None;
        }
        let factors = (*quantization.get(usize::from(quantization_table))?)?;
        *component = Some(Component { factors, dc_table, ac_table });
    }
    let first = components[0]?;
    Some(components.map(|component| component.unwrap_or(first)))
}

pub(super) fn read_quantization(mut body: &[u8], tables: &mut Quantization) -> Option<()> {
    while let Some((&head, rest)) = body.split_first() {
        let is_wide = head >> 4 != 0;
        let (values, rest) = rest.split_at_checked(if is_wide { 128 } else { 64 })?;
        let mut table = [0; 64];
        for (index, factor) in table.iter_mut().enumerate() {
            *factor = if is_wide {
                u16::from_be_bytes([values[2 * index], values[2 * index + 1]])
            } else {
                u16::from(values[index])
            };
        }
        *tables.get_mut(usize::from(head & 15))? = Some(table);
        body = rest;
    }
    Some(())
}

pub(super) fn read_huffman<'a>(
    mut body: &'a [u8],
    tables: &mut [[Option<Definition<'a>>; 4]; 2],
) -> Option<()> {
    while let Some((&head, rest)) = body.split_first() {
        let (counts, rest) = rest.split_first_chunk::<16>()?;
        let num_symbols = counts.iter().map(|count| usize::from(*count)).sum();
        let (symbols, rest) = rest.split_at_checked(num_symbols)?;
        let class = tables.get_mut(usize::from(head >> 4))?;
        *class.get_mut(usize::from(head & 15))? = Some(Definition { counts, symbols });
        body = rest;
    }
    Some(())
}
