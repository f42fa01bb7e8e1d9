use super::*;
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Serialize)]
enum Shape {
    Unit,
    Newtype(f64),
    Tuple(u8, f32),
    Struct { side: Option<f64> },
}

#[derive(Serialize)]
struct Whole {
    shapes: Vec<Shape>,
    #[serde(flatten)]
    more: BTreeMap<String, (i8, f64)>,
}

fn whole(shape: Shape, more: f64) -> Whole {
    Whole { shapes: vec![Shape::Unit, shape], more: [("a/b~".to_owned(), (1, more))].into() }
}

#[test]
fn ordinary_values_are_written_as_serde_json_writes_them() {
    for shape in [
        Shape::Unit,
        Shape::Newtype(1.5),
        Shape::Tuple(1, 0.1),
        Shape::Struct { side: Some(2.0) },
        Shape::Struct { side: None },
    ] {
        let value = whole(shape, f64::MIN_POSITIVE);
        assert_eq!(to_value(&value).unwrap(), serde_json::to_value(&value).unwrap());
        assert_eq!(to_string(&value).unwrap(), serde_json::to_string(&value).unwrap());
    }
    let odd = (u128::from(u64::MAX), "ä", 'x', [b"ab"], json!({ "n": null }), ());
    assert_eq!(to_string(&odd).unwrap(), serde_json::to_string(&odd).unwrap());
    let by_number = BTreeMap::from([(1, Some(true)), (2, None)]);
    assert_eq!(to_value(&by_number).unwrap(), json!({ "1": true, "2": null }));
}

#[test]
fn floats_without_a_number_are_refused_with_their_path() {
    let nan = f64::NAN;
    for (value, path) in [
        (whole(Shape::Newtype(nan), 1.0), "/shapes/1/Newtype"),
        (whole(Shape::Tuple(1, f32::INFINITY), 1.0), "/shapes/1/Tuple/1"),
        (whole(Shape::Struct { side: Some(-nan) }, 1.0), "/shapes/1/Struct/side"),
        (whole(Shape::Unit, f64::NEG_INFINITY), "/a~1b~0/1"),
    ] {
        assert_eq!(to_value(&value).unwrap_err().path, path);
        let error = to_string(&value).unwrap_err().to_string();
        assert!(error.starts_with(&format!("at `{path}`: JSON has no number for")), "{error}");
    }
    assert_eq!(to_value(&nan).unwrap_err().to_string(), "JSON has no number for `NaN`");
}

#[test]
fn what_serde_json_refuses_has_a_path_too() {
    let error = to_value(&json_with(u128::MAX)).unwrap_err();
    assert_eq!(error.path, "/deep/0");
    let keys = BTreeMap::from([(vec![1], 1)]);
    assert!(to_value(&keys).unwrap_err().to_string().contains("key must be a string"));
}

fn json_with(number: u128) -> impl Serialize {
    BTreeMap::from([("deep", [number])])
}
