//! Tests of the Real Time Index that an FMU reports.

use crate::client2::{Fmu2, call2};
use crate::world::{OK, World};

#[test]
fn figures_of_real_time_can_be_read_while_running() {
    let world = World::new("figures");
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.real("rti.last"), 0.0);
    for k in 0..100 {
        let status = fmu.step(f64::from(k) * 0.01, 0.01);
        assert_eq!(status, OK, "{}", fmu.log.last());
    }
    let [last, min, average, max] =
        ["rti.last", "rti.min", "rti.average", "rti.max"].map(|name| fmu.real(name));
    assert!(last > 0.0 && 0.0 < min && min <= average && average <= max);
    assert!(fmu.integer("rti.misses") <= 99);
    assert_eq!(call2!(fmu, fmi2Reset), OK);
    fmu.start();
    assert_eq!(fmu.real("rti.max"), 0.0);
}
