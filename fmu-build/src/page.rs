//! Control plane: pages of analyses: tables, charts and words on tabs, and a mechanism that moves in shapes between which the reader
//! chooses. Each is one file that loads nothing else, and is safe whatever text the names contain.

use fixstep_kernel::mechanism::UnitSystem;
use fixstep_pictures::page;
pub use fixstep_pictures::payload::{Cell, Table};
use fixstep_pictures::payload::{
    Chart, ChartLine, ChartPanel, Content, Contents, Marker, PageKind, Part, Shape, Tab,
};
use fixstep_pictures::scene::{Frame, Scene};

use crate::plot::{Line, Panel, Plot, Scale};
use crate::report;
use crate::scene;
use crate::slave::Failure;

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    subtitle: String,
    scene: Scene,
    still: Vec<Frame>,
    units: Option<UnitSystem>,
    markers: Vec<Marker>,
    marked: bool,
    shapes: Vec<Shape>,
    tabs: Vec<Tab>,
}

impl Page {
    /// An empty page; parts come on tabs.
    pub fn new(title: &str, subtitle: String) -> Self {
        Self {
            subtitle,
            scene: scene::nothing(title),
            still: Vec::new(),
            units: None,
            markers: Vec::new(),
            marked: false,
            shapes: Vec::new(),
            tabs: Vec::new(),
        }
    }

    /// Draws a mechanism, at rest or moving in shapes.
    pub fn draw(
        &mut self,
        (scene, still): (Scene, Frame),
        markers: Vec<Marker>,
        shapes: Vec<Shape>,
    ) {
        let title = std::mem::take(&mut self.scene.title);
        self.scene = Scene { title, ..scene };
        self.still = vec![still];
        (self.markers, self.shapes) = (markers, shapes);
    }

    /// Shows the markers and their names from the beginning.
    pub fn mark(&mut self) {
        self.marked = true;
    }

    /// Shows lengths, forces and masses in these units.
    pub fn in_units(&mut self, units: &UnitSystem) {
        self.units = Some(units.clone());
    }

    /// What is added comes on this tab from now on.
    pub fn tab(&mut self, name: &str) {
        self.tabs.push(Tab {
            name: name.to_owned(),
            parts: Vec::new(),
        });
    }

    fn add(&mut self, heading: &str, content: Content) {
        if self.tabs.is_empty() {
            self.tab("Overview");
        }
        if let Some(tab) = self.tabs.last_mut() {
            let heading = heading.to_owned();
            tab.parts.push(Part { heading, content });
        }
    }

    /// Adds a picture with axes; the heading replaces its title.
    pub fn add_chart(&mut self, heading: &str, plot: &Plot) {
        self.add_chart_of(heading, plot, &|_, _| None);
    }

    /// The same, where points stand for shapes: `shape` tells of which, by the numbers of the line and the point.
    pub fn add_chart_of(
        &mut self,
        heading: &str,
        plot: &Plot,
        shape: &dyn Fn(usize, usize) -> Option<usize>,
    ) {
        let chart = Chart {
            x_label: plot.x_label.clone(),
            x_log: plot.x_scale == Scale::Logarithmic,
            equal: plot.equal,
            panels: plot.panels.iter().map(|own| panel(own, shape)).collect(),
        };
        if !plot.subtitle.is_empty() {
            self.add(heading, Content::Words(vec![plot.subtitle.clone()]));
        }
        let heading = if plot.subtitle.is_empty() {
            heading
        } else {
            ""
        };
        self.add(heading, Content::Chart(chart));
    }

    /// Adds a table, unless it has no rows.
    pub fn add_table(&mut self, heading: &str, table: Table) {
        if !table.rows.is_empty() {
            self.add(heading, Content::Table(table));
        }
    }

    /// Adds paragraphs, if there are any.
    pub fn add_words(&mut self, heading: &str, lines: Vec<String>) {
        if !lines.is_empty() {
            self.add(heading, Content::Words(lines));
        }
    }

    /// What the page shows; tabs on which nothing came are left out.
    fn contents(&self) -> Contents<'_> {
        let mut contents = Contents::new(&self.scene, &self.still);
        contents.kind = PageKind::Sheets;
        contents.subtitle.clone_from(&self.subtitle);
        contents.markers.clone_from(&self.markers);
        contents.marked = self.marked;
        contents.shapes.clone_from(&self.shapes);
        let tabs = self.tabs.iter().filter(|tab| !tab.parts.is_empty());
        contents.tabs = tabs.cloned().collect();
        contents.about = vec![["Fixstep".to_owned(), env!("CARGO_PKG_VERSION").to_owned()]];
        if let Some(units) = &self.units {
            report::in_units_of(&mut contents, units);
        }
        contents
    }

    /// The file.
    pub fn html(&self) -> Result<String, Failure> {
        page::page(&self.contents()).map_err(|error| Failure(error.to_string()))
    }
}

/// A panel of a plot as the page has it.
fn panel(of: &Panel, shape: &dyn Fn(usize, usize) -> Option<usize>) -> ChartPanel {
    let line = |(k, line): (usize, &Line)| {
        let points = (0..line.x.len()).map(|point| shape(k, point));
        ChartLine {
            name: line.name.clone(),
            x: line.x.clone(),
            y: line.y.clone(),
            dots: line.dots,
            shapes: points.collect::<Option<_>>().unwrap_or_default(),
        }
    };
    let pins = of.pins.iter().map(|pin| (pin.at, pin.text.clone()));
    let limits = of
        .limits
        .iter()
        .map(|limit| (limit.value, limit.text.clone()));
    ChartPanel {
        label: of.y_label.clone(),
        log: of.scale == Scale::Logarithmic,
        lines: of.lines.iter().enumerate().map(line).collect(),
        limits: limits.collect(),
        marks: of.marks.clone(),
        pins: pins.collect(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use fixstep_pictures::payload;
    use serde_json::Value;

    const HOSTILE: &str = "</script><b>\"SCRIPT\n&'\u{2028}\" DATA";

    /// The JSON that the scripts of a page read.
    fn data_of(page: &Page) -> Value {
        let bytes = payload::pack(&page.contents()).unwrap();
        let (length, rest) = bytes.split_at(4);
        let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
        serde_json::from_slice(&rest[..length]).unwrap()
    }

    #[test]
    fn hostile_names_stay_names() {
        let mut page = Page::new(HOSTILE, HOSTILE.to_owned());
        page.tab(HOSTILE);
        page.add_words(HOSTILE, vec![HOSTILE.to_owned()]);
        page.add_words("none", Vec::new());
        page.add_table("none", Table::default());
        let cells = vec![
            Cell::Text(HOSTILE.to_owned()),
            Cell::Share("1".to_owned(), 0.5),
            Cell::Entity("joint".to_owned(), HOSTILE.to_owned()),
        ];
        let table = Table {
            columns: vec![HOSTILE.to_owned()],
            rows: vec![cells],
            ..Table::default()
        };
        page.add_table("one", table);
        page.tab("empty");
        let html = page.html().unwrap();
        let plain = Page::new("", String::new()).html().unwrap();
        let ends = |text: &str| text.matches("</script>").count();
        assert_eq!(ends(&html), ends(&plain));
        assert_eq!(html.matches("<title>&lt;/script&gt;").count(), 1);
        let data = data_of(&page);
        let tabs = data["tabs"].as_array().unwrap();
        assert_eq!(tabs.len(), 1, "a tab without parts is none");
        assert_eq!(tabs[0]["parts"].as_array().unwrap().len(), 2);
        assert_eq!(data["subtitle"], HOSTILE);
        assert_eq!(tabs[0]["parts"][0]["lines"][0], HOSTILE);
        let entity = serde_json::json!({"kind": "joint", "name": HOSTILE});
        assert_eq!(
            tabs[0]["parts"][1]["rows"][0],
            serde_json::json!([HOSTILE, ["1", 0.5], entity])
        );
    }

    #[test]
    fn a_page_needs_nothing_from_elsewhere() {
        let mut page = Page::new("chart", String::new());
        let plot = Plot {
            panels: vec![Panel {
                lines: vec![Line {
                    name: "a".to_owned(),
                    x: vec![1.0, 2.0],
                    y: vec![f64::NAN, 4.0],
                    dots: true,
                }],
                ..Panel::default()
            }],
            ..Plot::default()
        };
        page.add_chart_of("chart", &plot, &|_, point| Some(point + 3));
        let html = page.html().unwrap();
        assert!(html.contains("default-src 'none'"));
        for loading in [" src=", "@import", "import(", "href=\"http"] {
            assert!(!html.contains(loading), "{loading}");
        }
        let chart = &data_of(&page)["tabs"][0]["parts"][0];
        assert_eq!(chart["kind"], "chart");
        assert_eq!(
            chart["panels"][0]["lines"][0]["shapes"],
            serde_json::json!([3, 4])
        );
        assert_eq!(chart["panels"][0]["lines"][0]["y"]["type"], "f64");
    }
}
