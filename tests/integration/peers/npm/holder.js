// Locks of Node.js libraries, held until standard input ends, for tst_libraries to recognise.
//
// holder.js LIBRARY SOCKET    prints the key and who holds it, as the library calls it, once it is held

'use strict';

const { randomUUID } = require('crypto');
const Redis = require('ioredis');

const [library, socket] = process.argv.slice(2);
const client = new Redis(socket, { maxRetriesPerRequest: null });

function told(key, holder) {
    console.log(`${key} ${holder}`);
}

const holders = {
    async bullmq() {
        const { Queue, Worker } = require('bullmq');
        const queue = new Queue('mails', { connection: client });
        const worker = new Worker(
            'mails',
            async (job, token) => {
                told(`bull:mails:${job.id}:lock`, token);
                await new Promise(() => {});
            },
            { connection: client, lockDuration: 60000 }
        );
        await worker.waitUntilReady();
        await queue.add('welcome', {});
    },
    async redlock() {
        const Redlock = require('redlock');
        const lock = await new Redlock([client]).lock('locks:invoice', 60000);
        told('locks:invoice', lock.value);
    },
    async ioredis() {
        const token = randomUUID();
        if ((await client.set('lock:report', token, 'PX', 60000, 'NX')) !== 'OK') throw new Error('busy');
        told('lock:report', token);
    },
};

holders[library]().catch((error) => {
    console.error(error);
    process.exit(1);
});
process.stdin.on('end', () => process.exit(0)).resume();
