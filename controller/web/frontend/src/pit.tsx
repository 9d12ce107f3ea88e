// The root of the pit's page.
import { render } from "preact";
import { PitPage } from "./floor/pit-page";
import "./style/tokens.css";
import "./style/screen.css";
import "./style/bar.css";
import "./style/felt.css";
import "./style/pit.css";
import "./style/shift.css";
import "./style/picture.css";
import "./style/floor.css";

const root = document.getElementById("screen");
if (root) render(<PitPage />, root);
