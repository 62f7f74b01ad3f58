"""Reads cases from stdin, one JSON object a line, and answers each with one line.

{"writer": SCHEMA, "reader": SCHEMA, "hex": BYTES} -> the bytes python3-avro writes of what it read, or "! why not"
"""

import io
import json
import sys

import avro.io
import avro.schema


def answer(case):
    writer = avro.schema.parse(case["writer"])
    reader = avro.schema.parse(case["reader"])
    decoder = avro.io.BinaryDecoder(io.BytesIO(bytes.fromhex(case["hex"])))
    value = avro.io.DatumReader(writer, reader).read(decoder)
    out = io.BytesIO()
    avro.io.DatumWriter(reader).write(value, avro.io.BinaryEncoder(out))
    return out.getvalue().hex()


for line in sys.stdin:
    try:
        print(answer(json.loads(line)))
    except Exception as error:  # Whatever it is, the test decides whether it matters.
        print("!", type(error).__name__, str(error).replace("\n", " ")[:200])
