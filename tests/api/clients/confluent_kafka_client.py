"""Drives a Cairn server with confluent_kafka's registry clients, unchanged: the current one, and the older one with its
Avro serializer.

    python3 confluent_kafka_client.py URL
"""

import json
import sys

from confluent_kafka import avro
from confluent_kafka.avro.cached_schema_registry_client import CachedSchemaRegistryClient
from confluent_kafka.avro.error import ClientError
from confluent_kafka.avro.serializer.message_serializer import MessageSerializer
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.error import SchemaRegistryError

url = sys.argv[1]


def record(name, fields, **more):
    return json.dumps({"type": "record", "name": name, "fields": fields, **more})


ID = {"name": "id", "type": "long"}
NOTE = {"name": "note", "type": ["null", "string"], "default": None}
ORDER = record("Order", [ID])
ORDER_WITH_NOTE = record("Order", [ID, NOTE])
INCOMPATIBLE = record("Order", [ID, {"name": "must", "type": "string"}])


def new_client():
    return SchemaRegistryClient({"url": url})


def schema(text, references=()):
    return Schema(text, "AVRO", list(references))


def refused(status, code, call, *arguments):
    try:
        result = call(*arguments)
    except SchemaRegistryError as error:
        assert (error.http_status_code, error.error_code) == (status, code), error
        return
    raise AssertionError("not refused: %r" % (result,))


def test_register_look_up_and_read_back():
    client = new_client()
    first = client.register_schema("orders", schema(ORDER))
    assert new_client().register_schema("orders", schema(ORDER)) == first
    second = client.register_schema("orders", schema(ORDER_WITH_NOTE))
    assert second != first
    assert json.loads(new_client().get_schema(first).schema_str) == json.loads(ORDER)
    found = client.lookup_schema("orders", schema(ORDER_WITH_NOTE))
    assert (found.schema_id, found.version, found.subject) == (second, 2, "orders")
    latest = client.get_latest_version("orders")
    assert (latest.schema_id, latest.version) == (second, 2)
    assert client.get_version("orders", 1).schema_id == first
    assert client.get_versions("orders") == [1, 2]
    assert "orders" in client.get_subjects()


def test_refusals():
    client = new_client()
    client.register_schema("refusals", schema(ORDER))
    refused(409, 409, client.register_schema, "refusals", schema(INCOMPATIBLE))
    refused(422, 42201, client.register_schema, "refusals", schema("{"))
    refused(404, 40401, client.get_latest_version, "nobody")
    refused(404, 40402, client.get_version, "refusals", 9)
    refused(404, 40403, client.get_schema, 987654)
    refused(404, 40403, client.lookup_schema, "refusals", schema(ORDER_WITH_NOTE))


def test_config():
    client = new_client()
    assert client.get_compatibility() == "BACKWARD"
    assert client.set_compatibility(level="FULL") == {"compatibility": "FULL"}
    assert client.get_compatibility() == "FULL"
    client.set_compatibility(level="BACKWARD")
    refused(404, 40408, client.get_compatibility, "config")
    client.set_compatibility("config", "NONE")
    assert client.get_compatibility("config") == "NONE"
    client.register_schema("config", schema(ORDER))
    client.register_schema("config", schema(INCOMPATIBLE))


def test_deletes():
    client = new_client()
    client.register_schema("deletes", schema(ORDER))
    client.register_schema("deletes", schema(ORDER_WITH_NOTE))
    assert client.delete_version("deletes", 1) == 1
    assert client.get_versions("deletes") == [2]
    assert client.delete_subject("deletes") == [2]
    refused(404, 40401, client.get_versions, "deletes")
    refused(404, 40404, client.delete_subject, "deletes")


def test_references():
    client = new_client()
    client.register_schema("money", schema(record("Money", [{"name": "cents", "type": "long"}], namespace="shop")))
    reference = SchemaReference("shop.Money", "money", 1)
    line = schema(record("Line", [{"name": "price", "type": "shop.Money"}], namespace="shop"), [reference])
    line_id = client.register_schema("line", line)
    stored = new_client().get_schema(line_id).references
    assert [(one.name, one.subject, one.version) for one in stored] == [("shop.Money", "money", 1)]
    refused(422, 42206, client.delete_version, "money", 1)


def test_the_older_client():
    client = CachedSchemaRegistryClient({"url": url})
    text = avro.loads(ORDER)
    schema_id = client.register("older", text)
    assert CachedSchemaRegistryClient({"url": url}).check_registration("older", text) == schema_id
    assert client.get_version("older", text) == 1
    assert client.get_latest_schema("older")[0] == schema_id
    assert client.test_compatibility("older", avro.loads(ORDER_WITH_NOTE)) is True
    assert client.test_compatibility("older", avro.loads(INCOMPATIBLE)) is False
    assert client.update_compatibility("FULL", "older") == "FULL"
    assert client.get_compatibility("older") == "FULL"
    try:
        client.register("older", avro.loads(INCOMPATIBLE))
    except ClientError:
        pass
    else:
        raise AssertionError("not refused")
    assert client.delete_subject("older") == [1]


def test_serialize_and_deserialize():
    writer = MessageSerializer(CachedSchemaRegistryClient({"url": url}))
    value = {"id": 42, "note": "hello"}
    data = writer.encode_record_with_schema("placed", avro.loads(ORDER_WITH_NOTE), value)
    assert data[0] == 0
    schema_id = int.from_bytes(data[1:5], "big")
    assert new_client().get_latest_version("placed-value").schema_id == schema_id
    reader = MessageSerializer(CachedSchemaRegistryClient({"url": url}))
    assert reader.decode_message(data) == value


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok:", name[5:].replace("_", " "))
print("all done")
