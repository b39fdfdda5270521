//! Progressive JPEGs taken apart: each component as a gray progressive image, which the library decodes whatever the sizes of the others are.
//!
//! A scan of one component has its blocks in the order that a gray image has, and is copied as it is. A scan of several, which brings the first
//! coefficient of each block or a bit of it, is coded anew.

use super::entropy::BitReader;
use super::frame::{frame_header, read_huffman};
use super::huffman::{Definition, HuffmanTables};
use super::markers::{DRI, EOI, Marker, Markers, PROGRESSIVE, SOI, SOS, is_frame, restart_interval};
use super::scans::{BitWriter, GrayComponent, Image, flat_dc_table, segment};
use super::segments::Segments;

/// The components of a progressive image of several, each as a gray one; `None` if it is none, or is damaged.
pub(super) fn by_component(bytes: &[u8]) -> Option<Vec<GrayComponent>> {
    let mut markers = Markers::new(bytes);
    let mut huffman: [[Option<Definition<'_>>; 4]; 2] = Default::default();
    let mut interval = 0;
    let mut image: Option<Image<'_>> = None;
    // One for each of as many components as there may be.
    let mut grays: [Vec<u8>; 4] = std::array::from_fn(|_| vec![0xff, SOI]);
    loop {
        let Marker { code, offset, body } = markers.next("a scan").ok()?;
        match code {
            PROGRESSIVE if image.is_none() => {
                let frame = frame_header(body)?;
                let found = Image::new(&frame)?;
                for ((gray, component), &[id, _, table]) in
                    grays.iter_mut().zip(&found.components).zip(frame.components)
                {
                    let (width, height) = found.size_of(component);
                    let [[h1, h0], [w1, w0]] = [height, width].map(|side| (side as u16).to_be_bytes());
                    segment(gray, PROGRESSIVE, &[8, h1, h0, w1, w0, 1, id, 0x11, table]);
                }
                image = Some(found);
            }
            0xc4 | 0xdb => {
                if code == 0xc4 {
                    read_huffman(body, &mut huffman)?;
                }
                grays.iter_mut().for_each(|gray| segment(gray, code, body));
            }
            _ if is_frame(code) => return None,
            DRI => interval = restart_interval(body),
            SOS => {
                let image = image.as_ref()?;
                let start = markers.position();
                markers.skip_entropy_coded(1).ok()?;
                if let &[1, id, ..] = body {
                    let gray = &mut grays[image.component_of(id)?];
                    segment(gray, DRI, &(interval as u16).to_be_bytes());
                    gray.extend_from_slice(&bytes[offset..markers.position()]);
                } else {
                    take_apart(image, bytes, start, body, &huffman[0], interval, &mut grays)?;
                }
            }
            EOI => break,
            _ => {}
        }
    }
    let image = image?;
    let gray = |(component, mut jpeg): (_, Vec<u8>)| {
        jpeg.extend([0xff, EOI]);
        image.gray(component, jpeg, true)
    };
    Some(image.components.iter().zip(grays).map(gray).collect())
}

/// Codes the scan at `start`, of several components, anew for each of them.
fn take_apart(
    image: &Image<'_>,
    bytes: &[u8],
    start: usize,
    body: &[u8],
    huffman: &[Option<Definition<'_>>; 4],
    interval: usize,
    grays: &mut [Vec<u8>; 4],
) -> Option<()> {
    let (&num_components, rest) = body.split_first()?;
    let (selectors, parameters) = rest.split_at_checked(2 * usize::from(num_components))?;
    // From the first coefficient to the first; down to which bit, and whether others of it came before.
    let &[0, 0, bits] = parameters else { return None };
    let is_first = bits >> 4 == 0;
    let mut segments = Segments::default();
    segments.begin(start, interval > 0);
    segments.ensure_all(bytes);
    let plain = segments.plain().to_vec();
    let mut tables = HuffmanTables::default();
    let mut chosen = Vec::new();
    for (place, &[id, numbers]) in selectors.as_chunks::<2>().0.iter().enumerate() {
        chosen.push(image.component_of(id)?);
        if is_first {
            tables.define_dc(place, (*huffman.get(usize::from(numbers >> 4))?)?)?;
        }
    }
    let mut values: Vec<Vec<i32>> =
        chosen.iter().map(|&index| vec![0; image.components[index].blocks.len()]).collect();
    let blocks_of_interval = interval * image.blocks_of_mcu(&chosen);
    let (mut reader, mut before) = (BitReader::at(0), [0_i32; 4]);
    for (number, (place, block)) in image.places(&chosen).into_iter().enumerate() {
        if interval > 0 && number > 0 && number % blocks_of_interval == 0 {
            let position = segments.restart(bytes, number / blocks_of_interval - 1)?;
            (reader, before) = (BitReader::at(position), [0; 4]);
        }
        values[place][block] = if is_first {
            before[place] = before[place].wrapping_add(reader.read_dc(&plain, tables.dc(place)?)?);
            before[place]
        } else {
            i32::from(reader.read_bit(&plain))
        };
        if reader.bytes_used() > segments.len() {
            return None;
        }
    }
    for ((&index, &[id, _]), values) in chosen.iter().zip(selectors.as_chunks::<2>().0).zip(values) {
        let gray = &mut grays[index];
        segment(gray, DRI, &[0, 0]);
        if is_first {
            // Nothing behind it needs the table of the file: other scans have bits of the first coefficient, as they are.
            segment(gray, 0xc4, &flat_dc_table());
        }
        segment(gray, SOS, &[1, id, 0, 0, 0, bits]);
        let mut writer = BitWriter::new(gray);
        let mut before = 0;
        for (_, block) in image.places(&[index]) {
            if is_first {
                writer.push_difference(values[block].wrapping_sub(before))?;
                before = values[block];
            } else {
                writer.push(values[block].cast_unsigned(), 1);
            }
        }
        writer.finish();
    }
    Some(())
}
