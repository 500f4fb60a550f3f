//! Tests of every form in which importers send the resource location.

use fixstep_kernel::ids::MarkerId;
use fixstep_model::{Model, table};
use fixstep_variables::file::pack;
use std::fs;

use crate::client2::{Fmu2, Functions as Functions2, plain_path};
use crate::client3::{Fmu3, How, bare_path};
use crate::functions::load;
use crate::library;
use crate::world::{PENDULUM, World, c, folder};

#[test]
fn fmi2_takes_every_form_of_uri() {
    let world = World::new("uri with blank");
    let path = world.resources.display().to_string();
    let encoded = path.replace(' ', "%20");
    for location in [
        format!("file:{path}"),
        format!("file://{path}"),
        format!("file://{path}/"),
        format!("file:///{path}"),
        format!("file://localhost{path}"),
        format!("FILE://{path}"),
        format!("file://{encoded}"),
        format!("file:{encoded}/"),
        path.clone(),
        format!("{path}/"),
    ] {
        let fmu = Fmu2::try_new(&world, &world.token, Some(&c(&location)));
        assert!(!fmu.component.is_null(), "{location}: {}", fmu.log.last());
    }
    let fmu = Fmu2::try_new(&world, &world.token, Some(&plain_path(&world)));
    assert!(!fmu.component.is_null());
}

#[test]
fn fmi3_takes_paths_with_and_without_a_separator() {
    let world = World::new("100% {guid}");
    let path = world.resources.display().to_string();
    for location in [path.clone(), format!("{path}/"), format!("file://{path}")] {
        let how = How {
            resources: Some(c(&location)),
            ..How::of(&world)
        };
        let fmu = Fmu3::try_new(&world, &how);
        assert!(!fmu.instance.is_null(), "{location}: {}", fmu.log.last());
    }
    let how = How {
        resources: Some(bare_path(&world)),
        ..How::of(&world)
    };
    assert!(!Fmu3::try_new(&world, &how).instance.is_null());
}

#[test]
fn where_nothing_is_the_message_names_every_place() {
    let world = World::new("nothing");
    let fmu = Fmu2::try_new(&world, &world.token, Some(&c("file:///nowhere/resources")));
    assert!(fmu.component.is_null());
    let text = fmu.log.last();
    let beside = library::path()
        .ancestors()
        .nth(3)
        .map(|root| root.join("resources/mechanism.bin"));
    if beside.is_some_and(|model| model.is_file()) {
        // The library stands in an unpacked FMU: it finds that FMU's model, which is another one.
        assert!(text.contains("token"), "{text}");
        return;
    }
    assert!(text.contains("/nowhere/resources/mechanism.bin"), "{text}");
    // The last resort: next to the library's own folder.
    assert!(
        text.matches("resources/mechanism.bin").count() >= 2,
        "{text}"
    );
}

#[test]
fn without_a_location_the_library_looks_beside_itself() {
    let root = folder("unpacked");
    let binaries = root.join("binaries").join("linux64");
    fs::create_dir_all(&binaries).unwrap();
    let copy = binaries.join("pendulum.so");
    fs::copy(library::path(), &copy).unwrap();
    let world = World::at(root.join("resources"), PENDULUM);
    let library = load(&copy);
    let functions = Functions2::of(&library);
    let (name, token) = (c("x"), c(&world.token));
    for location in [None, Some(c("")), Some(c("file:///nowhere"))] {
        let location = location
            .as_ref()
            .map_or(std::ptr::null(), |text| text.as_ptr());
        // SAFETY: texts outlive the call.
        let component = unsafe {
            (functions.fmi2Instantiate)(
                name.as_ptr(),
                1,
                token.as_ptr(),
                location,
                std::ptr::null(),
                0,
                1,
            )
        };
        assert!(!component.is_null());
        // SAFETY: the instance is alive and not used again.
        unsafe { (functions.fmi2FreeInstance)(component) };
    }
}

#[test]
fn a_foreign_token_is_refused_with_both_tokens() {
    let world = World::new("token");
    let fmu = Fmu2::try_new(&world, "{foreign}", Some(&plain_path(&world)));
    assert!(fmu.component.is_null());
    let text = fmu.log.last();
    assert!(
        text.contains("{foreign}") && text.contains(&world.token),
        "{text}"
    );
    let how = How {
        token: String::new(),
        ..How::of(&world)
    };
    let fmu = Fmu3::try_new(&world, &how);
    assert!(fmu.instance.is_null());
    assert!(fmu.log.last().contains(&world.token));
}

#[test]
fn a_broken_mechanism_is_refused_with_its_problems() {
    let world = World::new("broken");
    let path = world.resources.join("mechanism.bin");
    let model = Model::from_json(PENDULUM).unwrap();
    let table = table::of(&model.mechanism);
    let mut mechanism = model.mechanism;
    mechanism.joints[0].j = MarkerId(99);
    mechanism.experiment.step = -1.0;
    let packed = pack(&mechanism, &table).unwrap();
    fs::write(&path, &packed.bytes).unwrap();
    let fmu = Fmu2::try_new(&world, &packed.token, Some(&plain_path(&world)));
    assert!(fmu.component.is_null());
    let text = fmu.log.last();
    let all = text.contains("j is marker 99") && text.contains("a step above zero");
    assert!(all, "{text}");
    for (bytes, said) in [
        (b"{".as_slice(), "this is not a mechanism"),
        (&packed.bytes[..packed.bytes.len() - 1], "cut short"),
    ] {
        fs::write(&path, bytes).unwrap();
        let fmu = Fmu2::try_new(&world, &world.token, Some(&plain_path(&world)));
        assert!(fmu.component.is_null());
        let text = fmu.log.last();
        assert!(text.contains("mechanism.bin cannot be used"), "{text}");
        assert!(text.contains(said), "{text}");
    }
}
