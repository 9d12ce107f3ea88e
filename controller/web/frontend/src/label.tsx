// The root of the page of labels.
import { render } from "preact";
import { Label } from "./label/label";
import "./style/tokens.css";
import "./style/screen.css";
import "./style/bar.css";
import "./style/studio.css";
import "./style/label.css";

const root = document.getElementById("screen");
if (root) render(<Label />, root);
