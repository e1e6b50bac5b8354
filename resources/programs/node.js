// Loaded into each explored Node.js process before the program. It tells the preloaded library what only the runtime knows:
// when the next timeout of the program ends, and when the program reads a clock. See runtimereports.h there.
//
// The event loop of Node.js also wakes up at the ends of cleared timeouts and for collections of garbage, and reads the
// clock each time. Neither is behaviour of the program, and in an exploration each would be a state of its own.
'use strict';

(() => {
    const { createHook } = require('async_hooks');
    const { Socket } = require('net');
    const { performance } = require('perf_hooks');
    const timers = require('timers');

    const hrtime = process.hrtime.bigint;
    const now = () => Number(hrtime()) / 1e6;

    // The clock of _idleStart starts with the process.
    const longest = 2 ** 31 - 1;
    const first = timers.setTimeout(() => {}, longest);
    const start = now() - first._idleStart;
    timers.clearTimeout(first);

    const timeouts = new Set(); // All that may be active.
    const sockets = new WeakMap(); // The sockets of timeouts.
    let isPending = false;

    const isActive = timeout => timeout._idleNext !== null && timeout._idleTimeout >= 0;
    // A socket only emits an event at its timeout.
    const hasEffect = timeout => !sockets.has(timeout) || sockets.get(timeout).listenerCount('timeout') > 0;
    const tell = () => {
        isPending = false;
        let next = 0;
        for (const timeout of timeouts) {
            const end = Math.trunc(start + timeout._idleStart + timeout._idleTimeout);
            if (!isActive(timeout))
                timeouts.delete(timeout);
            else if (hasEffect(timeout) && (next === 0 || end < next))
                next = end;
        }
        process.env.LATCHKEY_NEXT_TIMER = next;
    };
    // Microtasks are run before the event loop waits.
    const tellLater = () => {
        if (!isPending) {
            isPending = true;
            queueMicrotask(tell);
        }
    };
    const keep = timeout => {
        timeouts.add(timeout);
        tellLater();
    };
    const tellReading = () => { process.env.LATCHKEY_CLOCK_READ = 1; };
    const followedBy = (use, after) => function (...values) {
        const result = use.apply(this, values);
        after(this);
        return result;
    };
    const replace = (owner, name, after) => { owner[name] = followedBy(owner[name], after); };

    const { prototype } = first.constructor;
    replace(prototype, 'refresh', keep);
    replace(prototype, 'close', tellLater);
    replace(Socket.prototype, 'setTimeout', socket => {
        for (const symbol of Object.getOwnPropertySymbols(socket)) {
            if (socket[symbol] instanceof first.constructor)
                sockets.set(socket[symbol], socket);
        }
        tellLater();
    });
    for (const name of ['on', 'addListener', 'prependListener', 'removeListener', 'off', 'removeAllListeners'])
        replace(Socket.prototype, name, tellLater);
    for (const name of ['clearTimeout', 'clearInterval']) {
        replace(timers, name, tellLater);
        globalThis[name] = timers[name];
    }
    const { hrtime: pair } = process;
    process.hrtime = Object.assign(followedBy(pair, tellReading), { bigint: followedBy(hrtime, tellReading) });
    performance.now = followedBy(performance.now.bind(performance), tellReading);

    const ids = new Set();
    createHook({
        init(id, type, trigger, timeout) {
            if (type === 'Timeout') {
                ids.add(id);
                keep(timeout);
            }
        },
        after(id) {
            if (ids.has(id)) // An interval has a new end.
                tellLater();
        },
        destroy(id) {
            if (ids.delete(id))
                tellLater();
        }
    }).enable();
    tell();
})();
