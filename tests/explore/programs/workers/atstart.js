// Does something before it connects. argv[2]: what, of the functions below. Then a lock with a token.
const { randomUUID, randomBytes } = require("crypto");
const childProcess = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { connect } = require("./plainconnection");

const kept = [];
const before = {
  nothing() {},
  seen() {
    kept.push(process.pid, process.ppid, process.uptime(), process.hrtime.bigint(), randomBytes(8), Math.random());
  },
  output() { console.log("starting"); console.error("started"); },
  async files() {
    const texts = await Promise.all([1, 2, 3, 4, 5].map(() => fs.promises.readFile(__filename, "utf8")));
    kept.push(texts.join("").length);
  },
  timers() {
    kept.push(setTimeout(() => process.exit(1), 3600000), setInterval(() => {}, 7000));
    for (const timer of kept) timer.unref();
  },
  chance() { kept.push(Math.random()); },
  signals() { process.on("SIGTERM", () => process.exit(1)); },
  busy() {
    for (let i = 0; i < 200000; ++i) kept[i % 1000] = { text: `${i}`, more: [i, i * i] };
  },
  ended() { childProcess.execFileSync("true"); },
  child() { childProcess.spawn("sleep", ["3600"], { stdio: "ignore" }).unref(); },
  socket() {
    const socket = require("dgram").createSocket("udp4");
    return new Promise(done => socket.bind(0, "127.0.0.1", done)).then(() => socket.unref());
  },
  written() {
    const name = path.join(os.tmpdir(), randomUUID());
    kept.push(fs.openSync(name, "w"));
    fs.unlinkSync(name);
  },
  waited() { return new Promise(done => setTimeout(done, 1000)); },
};

const lock = async () => {
  const { send } = connect();
  const token = process.argv[2] === "chance" ? String(Math.random()).padEnd(20, "0") : randomUUID();
  if (await send("SET", "lock", token, "NX", "PX", 10000) === "+OK") {
    await send("ECHO", "latchkey:inside:lock");
    await send("SET", "value", `${process.pid}-${randomBytes(9).toString("hex")}`, "EX", 60);
    await send("ECHO", "latchkey:outside:lock");
    const owner = await send("GET", "lock");
    if (owner.endsWith(token)) await send("DEL", "lock");
  }
  process.exit();
};

Promise.resolve(before[process.argv[2]]()).then(lock);
