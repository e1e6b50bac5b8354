// The package redlock, for tst_interoperation to take turns with.
//
// redlock.js acquire KEY LEASE_MS SOCKET...   prints the token, or busy
// redlock.js release KEY TOKEN SOCKET...      prints released, or not-owner
// redlock.js compete KEY ROUNDS SOCKET...     enters and leaves so often; prints how often it was not alone inside

'use strict';

const Redis = require('ioredis');
const Redlock = require('redlock');

const [verb, key, argument, ...sockets] = process.argv.slice(2);
const clients = sockets.map((socket) => new Redis(socket));
const once = new Redlock(clients, { retryCount: 0 });

async function ifLockError(promise, otherwise) {
    try {
        return await promise;
    } catch (error) {
        if (error.name === 'LockError') return otherwise;
        throw error;
    }
}

async function acquire() {
    const lock = await ifLockError(once.lock(key, Number(argument)), null);
    return lock ? lock.value : 'busy';
}

async function release() {
    const lock = new Redlock.Lock(once, key, argument, Date.now() + 1000);
    return ifLockError(lock.unlock().then(() => 'released'), 'not-owner');
}

async function compete() {
    const patient = new Redlock(clients, { retryCount: -1, retryDelay: 2, retryJitter: 2 });
    let overlaps = 0;
    for (let round = 0; round < Number(argument); ++round) {
        const lock = await patient.lock(key, 60000);
        if ((await clients[0].incr('inside')) !== 1) ++overlaps;
        for (let i = 0; i < 5; ++i) await clients[0].ping();
        await clients[0].decr('inside');
        await lock.unlock();
    }
    return overlaps;
}

({ acquire, release, compete })[verb]()
    .then((result) => console.log(String(result)))
    .catch((error) => {
        console.error(error);
        process.exitCode = 1;
    })
    .finally(() => clients.forEach((client) => client.disconnect()));
