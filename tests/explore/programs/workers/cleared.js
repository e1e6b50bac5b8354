// A counter whose client has a timeout and an interval for the time of connecting only, as most clients do, over a plain
// connection. With the word "reading", the program reads a clock that only measures durations; with "ticking", its interval
// goes on; with "unheard", the timeout of its socket does, without a listener; with "heard", with one; with "signal", it
// limits an action by a signal and removes its listener; with "asking", it reads the signal instead; with "forgetting", it
// forgets from time to time which scripts it has sent, as ioredis 4 does; with "counting", it also counts how often;
// with "distant", it has an interval that is longer than the exploration.
const net = require("net");
const socket = net.connect(Number(process.env.REDIS_PORT), process.env.REDIS_HOST);
socket.setTimeout(5000);
const timeout = setTimeout(() => process.exit(1), 10000);
const interval = setInterval(() => {}, 3000);
const words = (...all) => `*${all.length}\r\n` + all.map(word => `$${word.length}\r\n${word}\r\n`).join("");
if (process.argv[2] === "distant") setInterval(() => process.exit(1), 2 ** 31 - 1);
let forgotten = 0;
let signal = { aborted: false };
socket.once("connect", () => {
  if (process.argv[2] === "signal" || process.argv[2] === "asking") signal = AbortSignal.timeout(4000);
  const abort = () => process.exit(1);
  if (process.argv[2] === "signal") {
    signal.addEventListener("abort", abort, { once: true });
    signal.removeEventListener("abort", abort);
  }
  if (process.argv[2] === "heard") socket.on("timeout", () => socket.destroy());
  else if (process.argv[2] !== "unheard") socket.setTimeout(0);
  clearTimeout(timeout);
  if (process.argv[2] !== "ticking") clearInterval(interval);
  if (process.argv[2] === "forgetting") setInterval(() => {
    this._addedScriptHashes = {};
  }, 2000);
  if (process.argv[2] === "counting") setInterval(() => {
    this._addedScriptHashes = {}; forgotten++;
  }, 2000);
  socket.write(words("SET", "hits", "0", "PX", "1000", "NX"));
  socket.once("data", () => {
    socket.write(words("INCR", "hits"));
    socket.once("data", reply => {
      if (process.argv[2] === "reading" && performance.now() < 0) return;
      if (process.argv[2] === "asking" && signal.aborted) process.exit(1);
      socket.write(words("SET", "seen", reply.toString().trim().slice(1), "PX", "1000"));
      socket.once("data", () => { clearInterval(interval); socket.end(); process.exit(); });
    });
  });
});
