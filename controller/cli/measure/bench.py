"""`stand17 bench`: everything that this program measures of itself, one sub-command each."""

from typing import Final

from controller.bench.card_reader import reader
from controller.bench.engine import app as benches
from controller.bench.live import live

app: Final = benches
app.command("live")(live)
app.command("reader")(reader)
