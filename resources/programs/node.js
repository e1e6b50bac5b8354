// Loaded into each explored Node.js process before the program. It tells the preloaded library what only the runtime knows:
// when the next timeout of the program ends, which timeout began last, and when the program reads a clock. See
// runtimereports.h there.
//
// The event loop of Node.js also wakes up at the ends of cleared timeouts and for collections of garbage, and reads the
// clock each time. Neither is behaviour of the program, and in an exploration each would be a state of its own.
'use strict';

(() => {
    const { createHook } = require('async_hooks');
    const { getEventListeners } = require('events');
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
    const numbers = new WeakMap(); // Those with an effect, numbered in the order in which they began.
    let lastNumber = 0;
    const sockets = new WeakMap(); // The sockets of timeouts.
    const signals = new WeakMap(); // The states of signals, by the timeouts of AbortSignal.timeout().
    const states = new WeakMap(); // The same by signal.
    let begun = null; // Timeouts that AbortSignal.timeout() begins.
    let isPending = false;

    const isActive = timeout => timeout._idleNext !== null && timeout._idleTimeout >= 0;
    // A socket only emits an event at its timeout. A signal without listeners any more is a limit of an action that is
    // over, unless the program reads it.
    const isHeard = state => {
        const signal = state.signal.deref();
        return state.isRead || !state.hadListener
            || (signal !== undefined && getEventListeners(signal, 'abort').length > 0);
    };
    // ioredis 4 forgets once a minute which scripts it has sent. It then asks whether the server has them, or sends them
    // again: the explorer answers the question itself, and takes a script and its digest for the same command.
    const forgetting = /^\(\) => \{\s*this\._addedScriptHashes = \{\};\s*\}$/;
    const forgetsScripts = timeout => timeout._repeat !== null && forgetting.test(String(timeout._onTimeout));
    const hasEffect = timeout => {
        if (forgetsScripts(timeout))
            return false;
        if (signals.has(timeout))
            return isHeard(signals.get(timeout));
        return !sockets.has(timeout) || sockets.get(timeout).listenerCount('timeout') > 0;
    };
    const tell = () => {
        isPending = false;
        let next = 0;
        let last = 0;
        for (const timeout of timeouts) {
            if (!isActive(timeout)) {
                timeouts.delete(timeout);
            } else if (!hasEffect(timeout)) {
                numbers.delete(timeout); // It begins anew when it gets an effect.
            } else {
                const end = Math.trunc(start + timeout._idleStart + timeout._idleTimeout);
                next = next === 0 ? end : Math.min(next, end);
                if (!numbers.has(timeout))
                    numbers.set(timeout, ++lastNumber);
                last = Math.max(last, numbers.get(timeout));
            }
        }
        process.env.LATCHKEY_NEXT_TIMER = next;
        process.env.LATCHKEY_LAST_TIMER = last;
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
        numbers.delete(timeout);
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
    const signalWithin = AbortSignal.timeout;
    AbortSignal.timeout = function (...values) {
        begun = [];
        const signal = signalWithin.apply(this, values);
        const state = { signal: new WeakRef(signal), hadListener: false, isRead: false };
        states.set(signal, state);
        for (const timeout of begun)
            signals.set(timeout, state);
        begun = null;
        return signal;
    };
    let isListening = false; // Whether Node.js may read a signal, to add or remove a listener.
    for (const name of ['addEventListener', 'removeEventListener']) {
        const use = EventTarget.prototype[name];
        EventTarget.prototype[name] = function (...values) {
            if (!states.has(this))
                return use.apply(this, values);
            isListening = true;
            try {
                return use.apply(this, values);
            } finally {
                isListening = false;
                states.get(this).hadListener = true;
                tellLater();
            }
        };
    }
    const { get: isAborted } = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted');
    Object.defineProperty(AbortSignal.prototype, 'aborted', {
        configurable: true,
        enumerable: true,
        get() {
            if (!isListening && states.has(this)) {
                states.get(this).isRead = true;
                tellLater();
            }
            return isAborted.call(this);
        }
    });
    const { hrtime: pair } = process;
    process.hrtime = Object.assign(followedBy(pair, tellReading), { bigint: followedBy(hrtime, tellReading) });
    performance.now = followedBy(performance.now.bind(performance), tellReading);

    const byId = new Map();
    createHook({
        init(id, type, trigger, timeout) {
            if (type === 'Timeout') {
                byId.set(id, timeout);
                if (begun !== null)
                    begun.push(timeout);
                keep(timeout);
            }
        },
        after(id) {
            if (byId.has(id)) { // An interval begins anew.
                numbers.delete(byId.get(id));
                tellLater();
            }
        },
        destroy(id) {
            if (byId.delete(id))
                tellLater();
        }
    }).enable();
    tell();
})();
