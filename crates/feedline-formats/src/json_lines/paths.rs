//! The values of a JSON object at certain paths. What nobody asked for is read over: it must be JSON, and nothing else.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::row::{JsonValue, error_of};
use crate::error::Result;

/// Reads objects of JSON at the paths it was made for; reused from text to text.
///
/// `a.b` is `b` of the object `a`, `a.0` the first entry of the list `a`, and `a.0.b` an object's in it.
///
/// ```
/// use feedline_formats::json_lines::{JsonPaths, JsonValue};
///
/// let mut paths = JsonPaths::new(["user.id", "boxes.1.size"]);
/// paths.parse(br#"{"user": {"id": 7}, "boxes": [{}, {"size": [[1, 2], [3, 4]]}], "more": [[], {}]}"#)?;
/// let id = paths.found(0).unwrap();
/// assert_eq!((id.shape(), id.values().collect::<Vec<_>>()), (&[][..], vec![JsonValue::Int(7)]));
/// assert_eq!(paths.found(1).unwrap().shape(), [2, 2]);
/// # Ok::<(), feedline_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct JsonPaths {
    /// The paths, each with the place it was given at, in the order of their texts.
    wanted: Vec<(String, usize)>,
    found: Vec<Found>,
    values: Vec<Stored>,
    /// The texts among the values, one behind the other.
    text: String,
    /// The path of what is being read.
    path: String,
}

#[derive(Clone, Debug, Default)]
enum Found {
    #[default]
    Nothing,
    Values {
        shape: Vec<usize>,
        values: Range<usize>,
    },
    /// Something that is no tensor: what it is.
    Other(&'static str),
}

#[derive(Clone, Debug)]
enum Stored {
    Bool(bool),
    Int(i64),
    Large(f64),
    Float(f64),
    Text(Range<usize>),
}

/// What is at a path.
#[derive(Clone, Copy, Debug)]
pub struct AtPath<'a> {
    paths: &'a JsonPaths,
    shape: &'a [usize],
    values: &'a Range<usize>,
}

impl<'a> AtPath<'a> {
    /// No dimensions for a single value, one for a list, more for lists of lists.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// The values, those of lists one behind the other.
    pub fn values(&self) -> impl Iterator<Item = JsonValue<'a>> + use<'a> {
        let text = &self.paths.text;
        self.paths.values[self.values.clone()].iter().map(move |value| match value {
            Stored::Bool(value) => JsonValue::Bool(*value),
            Stored::Int(value) => JsonValue::Int(*value),
            Stored::Large(value) => JsonValue::Large(*value),
            Stored::Float(value) => JsonValue::Float(*value),
            Stored::Text(range) => JsonValue::Text(&text[range.clone()]),
        })
    }
}

impl JsonPaths {
    /// A reader of these paths.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p str>) -> JsonPaths {
        let mut wanted: Vec<(String, usize)> =
            paths.into_iter().enumerate().map(|(place, path)| (path.to_owned(), place)).collect();
        wanted.sort();
        let found = vec![Found::Nothing; wanted.len()];
        JsonPaths { wanted, found, ..JsonPaths::default() }
    }

    /// Reads `text`: one object, with white space around it or without.
    ///
    /// The error's byte is where in `text` it is no JSON, or no object.
    pub fn parse(&mut self, text: &[u8]) -> Result<()> {
        self.found.fill(Found::Nothing);
        self.values.clear();
        self.text.clear();
        self.path.clear();
        let mut parser = serde_json::Deserializer::from_slice(text);
        let read = Top(self).deserialize(&mut parser).and_then(|()| parser.end());
        read.map_err(|error| error_of(text, &error))
    }

    /// What is at path number `place`: nothing where it is not there or null; what it is instead, where it is no value and no list of lists
    /// of one shape. Of several of one name the last counts, as in most readers.
    pub fn at(&self, place: usize) -> std::result::Result<Option<AtPath<'_>>, &'static str> {
        match &self.found[place] {
            Found::Nothing => Ok(None),
            Found::Values { shape, values } => Ok(Some(AtPath { paths: self, shape, values })),
            Found::Other(what) => Err(what),
        }
    }

    /// As [`JsonPaths::at`], of what is a value or a list.
    pub fn found(&self, place: usize) -> Option<AtPath<'_>> {
        self.at(place).ok().flatten()
    }

    /// The place of the path that is being read, if it is wanted, and whether there are some inside it.
    fn here(&self) -> (Option<usize>, bool) {
        let from = self.wanted.partition_point(|(path, _)| path.as_str() < self.path.as_str());
        let place = self.wanted.get(from).filter(|(path, _)| *path == self.path).map(|(_, place)| *place);
        let is_inside =
            |path: &str| path.strip_prefix(self.path.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let with_prefix =
            self.wanted[from..].iter().take_while(|(path, _)| path.starts_with(self.path.as_str()));
        let has_inside = with_prefix.into_iter().any(|(path, _)| is_inside(path));
        (place, has_inside)
    }

    fn set(&mut self, place: Option<usize>, found: Found) {
        if let Some(place) = place {
            self.found[place] = found;
        }
    }

    fn push_text(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.values.push(Stored::Text(start..self.text.len()));
    }

    /// Reads what is at the path with `name` behind it.
    fn within<T>(&mut self, name: impl fmt::Display, read: impl FnOnce(&mut JsonPaths) -> T) -> T {
        use fmt::Write;
        let outer = self.path.len();
        let dot = if outer == 0 { "" } else { "." };
        write!(self.path, "{dot}{name}").expect("strings can be written to");
        let result = read(self);
        self.path.truncate(outer);
        result
    }
}

/// Reads the object of a text.
struct Top<'r>(&'r mut JsonPaths);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, {…}")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<(), A::Error> {
        object(self.0, map)
    }
}

fn object<'de, A: MapAccess<'de>>(paths: &mut JsonPaths, mut map: A) -> std::result::Result<(), A::Error> {
    while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
        paths.within(key, |paths| map.next_value_seed(Value(paths)))?;
    }
    Ok(())
}

/// Reads the value at the path.
struct Value<'r>(&'r mut JsonPaths);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        if self.0.here() == (None, false) {
            return serde::Deserialize::deserialize(deserializer).map(|IgnoredAny| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl Value<'_> {
    fn one(self, push: impl FnOnce(&mut JsonPaths)) {
        let (place, _) = self.0.here();
        let start = self.0.values.len();
        push(self.0);
        self.0.set(place, Found::Values { shape: vec![], values: start..start + 1 });
    }
}

/// The visits of single values, which `$one` takes.
macro_rules! visit_values {
    ($one:ident) => {
        fn visit_bool<E: serde::de::Error>(self, value: bool) -> std::result::Result<(), E> {
            self.$one(|paths| paths.values.push(Stored::Bool(value)));
            Ok(())
        }

        fn visit_i64<E: serde::de::Error>(self, value: i64) -> std::result::Result<(), E> {
            self.$one(|paths| paths.values.push(Stored::Int(value)));
            Ok(())
        }

        fn visit_u64<E: serde::de::Error>(self, value: u64) -> std::result::Result<(), E> {
            let stored = i64::try_from(value).map_or(Stored::Large(value as f64), Stored::Int);
            self.$one(|paths| paths.values.push(stored));
            Ok(())
        }

        fn visit_f64<E: serde::de::Error>(self, value: f64) -> std::result::Result<(), E> {
            self.$one(|paths| paths.values.push(Stored::Float(value)));
            Ok(())
        }

        fn visit_str<E: serde::de::Error>(self, value: &str) -> std::result::Result<(), E> {
            self.$one(|paths| paths.push_text(value));
            Ok(())
        }
    };
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    visit_values!(one);

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<(), E> {
        let (place, _) = self.0.here();
        self.0.set(place, Found::Nothing);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        let paths = self.0;
        let (place, has_inside) = paths.here();
        if has_inside {
            let mut index = 0_usize;
            while paths.within(index, |paths| list.next_element_seed(Value(paths)))?.is_some() {
                index += 1;
            }
            paths.set(place, Found::Other("is a list that is read by its places, too"));
            return Ok(());
        }
        let start = paths.values.len();
        let mut shape = ListShape::default();
        entries(paths, &mut shape, 0, list)?;
        let values = start..paths.values.len();
        paths.set(
            place,
            match shape.problem {
                Some(what) => Found::Other(what),
                None => Found::Values { shape: shape.sizes, values },
            },
        );
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<(), A::Error> {
        let (place, _) = self.0.here();
        self.0.set(place, Found::Other("is an object"));
        object(self.0, map)
    }
}

/// What is known of lists within each other while they are read.
#[derive(Default)]
struct ListShape {
    /// How many entries the lists at each depth have, as far as one was read to its end.
    sizes: Vec<usize>,
    /// How deep the values lie, once there was one.
    depth_of_values: Option<usize>,
    problem: Option<&'static str>,
}

impl ListShape {
    const DIFFER: &'static str = "has lists of different lengths in its list";

    fn end_list(&mut self, depth: usize, count: usize) {
        if self.sizes.len() <= depth {
            // Lists that hold lists end after these: until then nothing is known of their own size.
            self.sizes.resize(depth + 1, usize::MAX);
        }
        if self.sizes[depth] != usize::MAX && self.sizes[depth] != count {
            self.problem = self.problem.or(Some(ListShape::DIFFER));
        }
        self.sizes[depth] = count;
    }

    fn value_at(&mut self, depth: usize) {
        if *self.depth_of_values.get_or_insert(depth) != depth {
            self.problem = self.problem.or(Some("has values beside lists in its list"));
        }
    }
}

fn entries<'de, A: SeqAccess<'de>>(
    paths: &mut JsonPaths,
    shape: &mut ListShape,
    depth: usize,
    mut list: A,
) -> std::result::Result<(), A::Error> {
    let mut count = 0;
    while list.next_element_seed(Entry { paths: &mut *paths, shape: &mut *shape, depth })?.is_some() {
        count += 1;
    }
    shape.end_list(depth, count);
    Ok(())
}

/// Reads an entry of a list that is wanted as a whole.
struct Entry<'r> {
    paths: &'r mut JsonPaths,
    shape: &'r mut ListShape,
    /// Of the list it is in.
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Entry<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Entry<'_> {
    fn one(self, push: impl FnOnce(&mut JsonPaths)) {
        self.shape.value_at(self.depth);
        push(self.paths);
    }
}

impl<'de> Visitor<'de> for Entry<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    visit_values!(one);

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<(), E> {
        self.shape.problem = Some("has null in its list");
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<(), A::Error> {
        if self.shape.depth_of_values.is_some_and(|depth| depth <= self.depth) {
            self.shape.problem = self.shape.problem.or(Some("has values beside lists in its list"));
        }
        entries(self.paths, self.shape, self.depth + 1, list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        self.shape.problem = Some("has an object in its list");
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &[&str], text: &str) -> Vec<String> {
        let mut reader = JsonPaths::new(paths.iter().copied());
        reader.parse(text.as_bytes()).unwrap();
        let show = |place| match reader.at(place) {
            Ok(None) => "nothing".to_owned(),
            Err(what) => what.to_owned(),
            Ok(Some(found)) => format!("{:?} {:?}", found.shape(), found.values().collect::<Vec<_>>()),
        };
        (0..paths.len()).map(show).collect()
    }

    #[test]
    fn what_is_at_paths() {
        let table: [(&str, &str, &str); 18] = [
            ("a", r#"{"b": [[1]], "a": 1}"#, "[] [Int(1)]"),
            ("a", r#"{"b": [{"c": 1}], "a": true}"#, "[] [Bool(true)]"),
            ("a", r#"{"b": {"c": [[1]]}, "a": "x\u0041"}"#, r#"[] [Text("xA")]"#),
            ("a.b.c", r#"{"a": {"b": {"c": [1, 2.5]}, "c": 3}}"#, "[2] [Int(1), Float(2.5)]"),
            ("a.1.c", r#"{"a": [{"c": 1}, {"c": 2}, 7]}"#, "[] [Int(2)]"),
            ("a.10", r#"{"a": [1, 2]}"#, "nothing"),
            ("a.b", r#"{"a.b": 4}"#, "[] [Int(4)]"),
            (
                "a",
                r#"{"a": [[1, 2], [3, 4], [5, 6]]}"#,
                "[3, 2] [Int(1), Int(2), Int(3), Int(4), Int(5), Int(6)]",
            ),
            ("a", r#"{"a": [[1, 2], [3]]}"#, "has lists of different lengths in its list"),
            ("a", r#"{"a": [1, [3]]}"#, "has values beside lists in its list"),
            ("a", r#"{"a": [[3], 1]}"#, "has values beside lists in its list"),
            ("a", r#"{"a": [1, null]}"#, "has null in its list"),
            ("a", r#"{"a": [{"b": [1]}]}"#, "has an object in its list"),
            ("a", r#"{"a": {"b": 1}}"#, "is an object"),
            ("a", r#"{"a": null}"#, "nothing"),
            ("a", r#"{"a": []}"#, "[0] []"),
            ("a", r#"{"a": 1, "a": [2]}"#, "[1] [Int(2)]"),
            ("ab", r#"{"a": 1, "abc": 2, "a.b": 3}"#, "nothing"),
        ];
        for (path, text, expected) in table {
            assert_eq!(shown(&[path], text), [expected], "{path} of {text}");
        }
        let several = shown(&["b", "a.0", "a.1"], r#"{"a": ["x", 18446744073709551615], "b": -0.5}"#);
        assert_eq!(several, ["[] [Float(-0.5)]", r#"[] [Text("x")]"#, "[] [Large(1.8446744073709552e19)]"]);
    }

    #[test]
    fn what_is_no_json_is_told_wherever_it_is() {
        let mut paths = JsonPaths::new(["a"]);
        for text in [r#"{"a": 1, "b": [1,}"#, r#"{"a": 1"#, "[1]", r#"{"b": tru}"#, r#"{"a": 1} x"#, ""] {
            let error = paths.parse(text.as_bytes()).unwrap_err();
            assert!(error.byte_offset().is_some(), "{text}: {error}");
        }
        let deep = format!(r#"{{"b": {}1{}, "a": 2}}"#, "[".repeat(5000), "]".repeat(5000));
        paths.parse(deep.as_bytes()).unwrap();
        assert_eq!(paths.found(0).unwrap().values().count(), 1);
        let deep = format!(r#"{{"a": {}1{}}}"#, "[".repeat(5000), "]".repeat(5000));
        assert!(paths.parse(deep.as_bytes()).unwrap_err().to_string().contains("recursion"));
    }
}
