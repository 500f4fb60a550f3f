//! Control plane: the motion of a system of FMUs. The mechanism inside each FMU of ours runs once more in this process, with
//! the inputs that it had in the system, and is shown if all its outputs have the same bits ([`again`]).

use fixstep_pictures::scene::{Film, Frame, Point, Scene};
use model_description::parse::Causality;

use super::again;
use crate::check::is_ours;
use crate::csv::Table;
use crate::run::{Outcome, Plan, Times};
use crate::slave::{Failure, is_numeric};
use crate::ssp::Part;

/// The mechanisms of a system in one scene, and why others are not in it.
#[derive(Default)]
pub struct Shown {
    /// None, if no component can be shown.
    pub drawn: Option<(Scene, Film)>,
    /// What is left out, and why.
    pub left_out: Vec<String>,
}

/// Runs the mechanisms inside the components like the system did.
pub fn run(
    title: &str,
    components: &[Part<'_>],
    (plan, times, outcome): (&Plan, Times, &Outcome),
    progress: &mut dyn FnMut(f64),
) -> Result<Shown, Failure> {
    let mut shown = Shown::default();
    for component in components {
        let mut leave = |why: String| {
            let text = format!("component \"{}\": {why}", component.name);
            shown.left_out.push(text);
        };
        if !is_ours(component.description) {
            leave("this FMU does not tell where its bodies are".to_owned());
            continue;
        }
        let own = match alone(component, (plan, times, outcome)) {
            Ok(own) => own,
            Err(why) => {
                leave(why);
                continue;
            }
        };
        match again::run(&component.file, (&own.0, &own.1), progress)? {
            Ok(again) if again.scene.bodies.len() > 1 => {
                let part = named(component.name, again.scene, again.film);
                if let Err(why) = join(&mut shown.drawn, title, part) {
                    leave(why);
                }
            }
            // A controller has no bodies.
            Ok(_) => {}
            Err(why) => leave(why),
        }
    }
    Ok(shown)
}

/// The run of a component by itself: what it was set to, the inputs that it had, and what came out.
fn alone(
    component: &Part<'_>,
    (plan, times, outcome): (&Plan, Times, &Outcome),
) -> Result<(Plan, Outcome), String> {
    let prefix = format!("{}.", component.name);
    let columns = |table: &Table| -> Vec<(String, Vec<f64>)> {
        let all = table.names.iter().zip(&table.columns);
        all.filter_map(|(name, values)| {
            Some((name.strip_prefix(&prefix)?.to_owned(), values.clone()))
        })
        .collect()
    };
    let mut own = columns(&outcome.table);
    own.extend(columns(&outcome.more));
    let time = outcome.table.columns.first().cloned().unwrap_or_default();
    let mut input = Table::new(vec!["time".to_owned()]);
    input.columns[0].clone_from(&time);
    for variable in &component.description.variables {
        if variable.causality != Causality::Input {
            continue;
        }
        let name = &variable.name;
        let found = own.iter().find(|(known, _)| known == name);
        let (Some((_, values)), true) = (
            found,
            is_numeric(variable) && variable.dimensions.is_empty(),
        ) else {
            return Err(format!("the input \"{name}\" was not recorded as a number"));
        };
        // A row is read after its step, when the input still has the value of the step.
        let mut held: Vec<f64> = values.iter().skip(1).copied().collect();
        held.extend(values.last());
        input.names.push(name.clone());
        input.columns.push(held);
    }
    let set = plan.settings.iter().filter_map(|(name, text)| {
        let own = name.strip_prefix(&prefix)?;
        Some((own.to_owned(), text.clone()))
    });
    let (names, columns): (Vec<String>, Vec<Vec<f64>>) = own.into_iter().unzip();
    let mut table = Table::new([vec!["time".to_owned()], names].concat());
    table.columns = [vec![time], columns].concat();
    let plan = Plan {
        start: Some(times.start),
        stop: Some(times.stop),
        step: Some(times.step),
        settings: component.settings.iter().cloned().chain(set).collect(),
        input: (input.names.len() > 1).then_some(input),
        open_end: plan.open_end,
        ..Plan::default()
    };
    let outcome = Outcome {
        table,
        ..Outcome::default()
    };
    Ok((plan, outcome))
}

/// A scene whose names begin with that of the component, as those of variables do.
fn named(component: &str, mut scene: Scene, film: Film) -> (Scene, Film) {
    let put = |name: &mut String| {
        if !name.is_empty() {
            *name = format!("{component}.{name}");
        }
    };
    { scene.bodies.iter_mut().skip(1) }.for_each(|body| put(&mut body.name));
    { scene.links.iter_mut() }.for_each(|link| put(&mut link.name));
    { scene.arrows.iter_mut() }.for_each(|arrow| put(&mut arrow.name));
    { scene.joints.iter_mut() }.for_each(|joint| put(&mut joint.name));
    for solid in scene.bodies.iter_mut().flat_map(|body| &mut body.solids) {
        put(&mut solid.name);
    }
    (scene, film)
}

/// Adds a scene: both have one ground.
fn join(
    all: &mut Option<(Scene, Film)>,
    title: &str,
    (mut part, more): (Scene, Film),
) -> Result<(), String> {
    title.clone_into(&mut part.title);
    let Some((scene, film)) = all else {
        *all = Some((part, more));
        return Ok(());
    };
    let alike = |(a, b): (&Frame, &Frame)| a.time == b.time;
    if film.len() != more.len() || !film.iter().zip(&more).all(alike) {
        return Err("its film has other times".to_owned());
    }
    let first = scene.bodies.len();
    let moved = |body: usize| if body == 0 { 0 } else { body + first - 1 };
    let point = |point: &mut Point| point.body = moved(point.body);
    { part.links.iter_mut().flat_map(|link| &mut link.points) }.for_each(point);
    { part.arrows.iter_mut() }.for_each(|arrow| point(&mut arrow.at));
    for joint in &mut part.joints {
        joint.i.0 = moved(joint.i.0);
        joint.j.0 = moved(joint.j.0);
    }
    if scene.follow == 0 {
        scene.follow = moved(part.follow);
    }
    scene.size = scene.size.max(part.size);
    let mut bodies = part.bodies.into_iter();
    let ground = bodies.next().into_iter().flat_map(|ground| ground.solids);
    scene.bodies[0].solids.extend(ground);
    scene.bodies.extend(bodies);
    scene.links.extend(part.links);
    scene.arrows.extend(part.arrows);
    scene.joints.extend(part.joints);
    for (frame, more) in film.iter_mut().zip(more) {
        frame.poses.extend(more.poses.into_iter().skip(1));
        frame.arrows.extend(more.arrows);
    }
    Ok(())
}
