"""Labels of a folder of pictures: outlines, ranks and suits that a person drew, beside what the reader says.

In: pictures and the labels that there are. Out: `labels.jsonl`, as training, measuring and `stand17 enrol`
read it. May import what `controller.studio` may.
"""
