// The root of the tester's page.
import { render } from "preact";
import { Studio } from "./studio/studio";
import "./style/tokens.css";
import "./style/primitives.css";
import "./style/screen.css";
import "./style/bar.css";
import "./style/felt.css";
import "./style/studio.css";

const root = document.getElementById("screen");
if (root) render(<Studio />, root);
