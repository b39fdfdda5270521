//! Floats as C's `printf` writes them: `%f`, `%e` and `%g`.

/// Which of its formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `%f`: digits and a point.
    Fixed,
    /// `%e`: one digit before the point, and an exponent.
    Scientific,
    /// `%g`: the shorter of both, without zeros at the end.
    Shortest,
}

/// How a number is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) form: Form,
    /// Digits behind the point, or of `%g` in all; 6 where none are given.
    pub(super) precision: Option<usize>,
    pub(super) width: usize,
    /// `printf`'s flag, if any.
    pub(super) flag: Option<u8>,
}

impl Format {
    /// Adds a float to `out`.
    pub(super) fn write_float(&self, value: f64, out: &mut Vec<u8>) {
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            // Zeros are for digits.
            let flag = self.flag.filter(|&flag| flag != b'0');
            return Format { flag, ..*self }.write_digits(value.is_sign_negative(), name, out);
        }
        let precision = self.precision.unwrap_or(6);
        let keeps_point = self.flag == Some(b'#');
        let mut text = match self.form {
            Form::Fixed => format!("{:.precision$}", value.abs()),
            Form::Scientific => scientific(value.abs(), precision),
            Form::Shortest => shortest(value.abs(), precision.max(1), keeps_point),
        };
        if keeps_point && !text.contains('.') {
            let at = text.find('e').unwrap_or(text.len());
            text.insert(at, '.');
        }
        self.write_digits(value.is_sign_negative(), &text, out);
    }

    /// Adds digits with their sign to `out`, filled up to the width.
    pub(super) fn write_digits(&self, is_negative: bool, digits: &str, out: &mut Vec<u8>) {
        let sign = match self.flag {
            _ if is_negative => "-",
            Some(b'+') => "+",
            Some(b' ') => " ",
            _ => "",
        };
        let fill = self.width.saturating_sub(sign.len() + digits.len());
        let (before, zeros, behind) = match self.flag {
            Some(b'-') => (0, 0, fill),
            Some(b'0') => (0, fill, 0),
            _ => (fill, 0, 0),
        };
        out.extend(std::iter::repeat_n(b' ', before));
        out.extend_from_slice(sign.as_bytes());
        out.extend(std::iter::repeat_n(b'0', zeros));
        out.extend_from_slice(digits.as_bytes());
        out.extend(std::iter::repeat_n(b' ', behind));
    }
}

/// `%.{precision}e`: the exponent has a sign and two digits at least.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// `%.{precision}g`.
fn shortest(value: f64, precision: usize, keeps_zeros: bool) -> String {
    let text = scientific(value, precision - 1);
    let (digits, exponent) = text.split_once('e').expect("it has an exponent");
    let size: i32 = exponent.parse().expect("a number");
    let without_zeros = |digits: &str| {
        let has_zeros = digits.contains('.') && !keeps_zeros;
        if has_zeros {
            digits.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            digits.to_owned()
        }
    };
    if size < -4 || size >= precision as i32 {
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let behind = usize::try_from(precision as i32 - 1 - size).unwrap_or(0);
    without_zeros(&format!("{value:.behind$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_as_printf_has_them() {
        type Case = (f64, Form, Option<usize>, usize, Option<u8>, &'static str);
        let cases: &[Case] = &[
            (1.5, Form::Fixed, None, 0, None, "1.500000"),
            (2.5, Form::Fixed, Some(0), 0, None, "2"),
            (2.5, Form::Fixed, Some(0), 0, Some(b'#'), "2."),
            (1e100, Form::Scientific, Some(3), 0, None, "1.000e+100"),
            (1e-5, Form::Shortest, None, 0, None, "1e-05"),
            (1e-4, Form::Shortest, None, 0, None, "0.0001"),
            (123_456_789.0, Form::Shortest, None, 0, None, "1.23457e+08"),
            (100_000.0, Form::Shortest, None, 0, None, "100000"),
            (1.5, Form::Shortest, Some(0), 0, None, "2"),
            (1.5, Form::Shortest, None, 0, Some(b'#'), "1.50000"),
            (-1.5, Form::Fixed, Some(1), 8, Some(b'0'), "-00001.5"),
            (1.5, Form::Fixed, Some(1), 8, Some(b'-'), "1.5     "),
            (f64::NEG_INFINITY, Form::Fixed, None, 6, Some(b'0'), "  -inf"),
            (0.0, Form::Shortest, None, 0, Some(b'+'), "+0"),
        ];
        for &(value, form, precision, width, flag, expected) in cases {
            let mut out = Vec::new();
            Format { form, precision, width, flag }.write_float(value, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{value} {form:?} {precision:?}");
        }
    }
}
