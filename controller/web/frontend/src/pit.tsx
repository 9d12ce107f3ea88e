// The root of the pit's page.
import { render } from "preact";
import { PitPage } from "./floor/pit-page";
import { keptLooks, putOn } from "./shared/screen-panel";
import "./style/tokens.css";
import "./style/primitives.css";
import "./style/screen.css";
import "./style/bar.css";
import "./style/felt.css";
import "./style/pit.css";
import "./style/shift.css";
import "./style/picture.css";
import "./style/floor.css";
import "./style/looks.css";

putOn(keptLooks());
const root = document.getElementById("screen");
if (root) render(<PitPage />, root);
