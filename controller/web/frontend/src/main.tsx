// The root of the page: its style sheets, and the app put into it.
import { render } from "preact";
import { App } from "./app";
import { keptLooks, putOn } from "./shared/screen-panel";
import "./style/tokens.css";
import "./style/primitives.css";
import "./style/screen.css";
import "./style/bar.css";
import "./style/felt.css";
import "./style/pit.css";
import "./style/shift.css";
import "./style/picture.css";
import "./style/demo.css";
import "./style/looks.css";

putOn(keptLooks());
const root = document.getElementById("screen");
if (root) render(<App />, root);
