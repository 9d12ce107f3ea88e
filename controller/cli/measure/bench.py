"""`stand17 bench`: everything that this program measures of itself, one sub-command each."""

from typing import Final

from controller.bench.card_reader import reader
from controller.bench.engine import app as benches
from controller.bench.live import live
from controller.bench.shuffle import shuffle
from controller.cli.measure.crash import crash
from controller.cli.measure.simulate import simulate

app: Final = benches
app.command("crash")(crash)
app.command("live")(live)
app.command("reader")(reader)
app.command("shuffle")(shuffle)
app.command("simulate")(simulate)
