// Drives a Cairn server with @confluentinc/schemaregistry, unchanged, as an application would.
//   node schemaregistry_client.cjs URL FOLDER     FOLDER has the package in its node_modules
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { createRequire } = require('node:module');

const [url, folder] = process.argv.slice(2);
const { SchemaRegistryClient, AvroSerializer, AvroDeserializer, SerdeType, Compatibility, RestError } =
  createRequire(path.join(folder, 'x.js'))('@confluentinc/schemaregistry');

// A client without what an earlier one remembers.
const newClient = () => new SchemaRegistryClient({ baseURLs: [url], maxRetries: 0 });

const record = (name, fields, more = {}) => JSON.stringify({ type: 'record', name, fields, ...more });
const id = { name: 'id', type: 'long' };
const note = { name: 'note', type: ['null', 'string'], default: null };
const avro = (schema, references) => ({ schemaType: 'AVRO', schema, ...(references ? { references } : {}) });

const order = avro(record('Order', [id]));
const orderWithNote = avro(record('Order', [id, note]));
const incompatible = avro(record('Order', [id, { name: 'must', type: 'string' }]));

async function refused(promise, status, code) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof RestError, `${error}`);
    assert.equal(error.status, status);
    assert.equal(error.errorCode, code);
    return true;
  });
}

const tests = {
  async 'register, look up, and read back'() {
    const client = newClient();
    const first = await client.register('orders', order);
    assert.equal(await newClient().register('orders', order), first);
    const second = await client.register('orders', orderWithNote);
    assert.notEqual(second, first);
    assert.equal(await newClient().register('elsewhere', order), first);

    const fresh = newClient();
    assert.equal(await fresh.getId('orders', order), first);
    assert.equal(await fresh.getVersion('orders', orderWithNote), 2);
    assert.equal((await fresh.getBySubjectAndId('orders', first)).schema, order.schema);
    const latest = await fresh.getLatestSchemaMetadata('orders');
    assert.deepEqual([latest.id, latest.version, latest.subject, latest.schema],
      [second, 2, 'orders', orderWithNote.schema]);
    assert.equal((await fresh.getSchemaMetadata('orders', 1)).id, first);
    assert.deepEqual(await fresh.getAllVersions('orders'), [1, 2]);
    const subjects = await fresh.getAllSubjects();
    assert.ok(subjects.includes('orders') && subjects.includes('elsewhere'));
  },

  async 'names that need percent signs'() {
    const client = newClient();
    const schemaId = await client.register('a b/c:d', order);
    assert.equal((await newClient().getLatestSchemaMetadata('a b/c:d')).id, schemaId);
  },

  async 'refusals carry status and code'() {
    const client = newClient();
    await client.register('refusals', order);
    await refused(client.register('refusals', incompatible), 409, 409);
    await refused(client.register('refusals', avro('{')), 422, 42201);
    await refused(newClient().getLatestSchemaMetadata('nobody'), 404, 40401);
    await refused(newClient().getSchemaMetadata('refusals', 7), 404, 40402);
    await refused(newClient().getId('refusals', orderWithNote), 404, 40403);
    await refused(newClient().getBySubjectAndId('refusals', 987654), 404, 40403);
    await refused(newClient().getSchemaMetadata('refusals', 0), 422, 42202);
  },

  async 'compatibility'() {
    const client = newClient();
    await client.register('compat', order);
    assert.equal(await client.testSubjectCompatibility('compat', orderWithNote), true);
    assert.equal(await client.testSubjectCompatibility('compat', incompatible), false);
    assert.equal(await client.testCompatibility('compat', 1, orderWithNote), true);
    assert.equal(await client.testCompatibility('compat', 1, incompatible), false);
  },

  async 'config'() {
    const client = newClient();
    assert.equal(await client.getDefaultCompatibility(), Compatibility.BACKWARD);
    assert.equal(await client.updateDefaultCompatibility(Compatibility.FULL), Compatibility.FULL);
    assert.equal(await client.getDefaultCompatibility(), Compatibility.FULL);
    await client.updateDefaultCompatibility(Compatibility.BACKWARD);
    await refused(client.getCompatibility('config'), 404, 40408);
    assert.equal(await client.updateCompatibility('config', Compatibility.NONE), Compatibility.NONE);
    assert.equal(await client.getCompatibility('config'), Compatibility.NONE);
    await client.register('config', order);
    await client.register('config', incompatible);
    assert.equal((await client.getConfig('config')).compatibilityLevel, 'NONE');
    assert.equal((await client.updateConfig('config', { compatibility: 'FORWARD' })).compatibility, 'FORWARD');
    assert.equal((await client.getDefaultConfig()).compatibilityLevel, 'BACKWARD');
  },

  async 'deletes'() {
    const client = newClient();
    const first = await client.register('deletes', order);
    await client.register('deletes', orderWithNote);
    assert.equal(await client.deleteSubjectVersion('deletes', 1), 1);
    await refused(newClient().getSchemaMetadata('deletes', 1), 404, 40402);
    assert.equal((await newClient().getSchemaMetadata('deletes', 1, true)).version, 1);
    assert.equal((await newClient().getBySubjectAndId('deletes', first)).schema, order.schema);
    assert.equal(await client.deleteSubjectVersion('deletes', 1, true), 1);
    assert.deepEqual(await client.deleteSubject('deletes'), [2]);
    await refused(client.deleteSubject('deletes'), 404, 40404);
    assert.deepEqual(await client.deleteSubject('deletes', true), [2]);
    await refused(newClient().getAllVersions('deletes'), 404, 40401);
  },

  async 'references'() {
    const client = newClient();
    const money = avro(record('Money', [{ name: 'cents', type: 'long' }], { namespace: 'shop' }));
    const references = [{ name: 'shop.Money', subject: 'money', version: 1 }];
    const line = avro(record('Line', [{ name: 'price', type: 'shop.Money' }], { namespace: 'shop' }), references);
    await client.register('money', money);
    const lineId = await client.register('line', line);
    const stored = await newClient().getBySubjectAndId('line', lineId);
    assert.deepEqual(stored.references, references);
    await refused(client.deleteSubjectVersion('money', 1), 422, 42206);
  },

  // The serializer asks the registry which subject belongs to the topic and falls back to topic-value: nothing is
  // configured here that would keep it from asking.
  async 'serialize and deserialize'() {
    const producer = new AvroSerializer(newClient(), SerdeType.VALUE, { autoRegisterSchemas: false, useLatestVersion: true });
    const client = newClient();
    await client.register('placed-value', order);
    const latest = await client.register('placed-value', orderWithNote);
    const bytes = await producer.serialize('placed', { id: 42, note: 'hello' });
    assert.equal(bytes[0], 0);
    assert.equal(bytes.readUInt32BE(1), latest);
    const consumer = new AvroDeserializer(newClient(), SerdeType.VALUE, {});
    const value = await consumer.deserialize('placed', bytes);
    assert.equal(Number(value.id), 42);
    assert.equal(value.note, 'hello');
  },

  async 'a serializer registers its schema'() {
    const producer = new AvroSerializer(newClient(), SerdeType.VALUE, { autoRegisterSchemas: true });
    const bytes = await producer.serialize('automatic', { size: 7, name: 'x' });
    const schemaId = bytes.readUInt32BE(1);
    assert.equal((await newClient().getLatestSchemaMetadata('automatic-value')).id, schemaId);
    const value = await new AvroDeserializer(newClient(), SerdeType.VALUE, {}).deserialize('automatic', bytes);
    assert.equal(value.size, 7);
    assert.equal(value.name, 'x');
  },

  async 'a schema with references is serialized'() {
    const client = newClient();
    const references = [{ name: 'shop.Coin', subject: 'coin', version: 1 }];
    await client.register('coin', avro(record('Coin', [{ name: 'cents', type: 'long' }], { namespace: 'shop' })));
    await client.register('purse-value',
      avro(record('Purse', [{ name: 'coin', type: 'shop.Coin' }], { namespace: 'shop' }), references));
    const producer = new AvroSerializer(newClient(), SerdeType.VALUE, { autoRegisterSchemas: false, useLatestVersion: true });
    const bytes = await producer.serialize('purse', { coin: { cents: 5 } });
    const value = await new AvroDeserializer(newClient(), SerdeType.VALUE, {}).deserialize('purse', bytes);
    assert.equal(Number(value.coin.cents), 5);
  },
};

(async () => {
  for (const [name, test] of Object.entries(tests)) {
    await test();
    console.log(`ok: ${name}`);
  }
  console.log('all done');
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
