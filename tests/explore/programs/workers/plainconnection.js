// A connection to the server of the environment, over the module net alone. connect(): returns { send(...words) }, whose
// promise has the reply: a status, an integer or the string with its length.
"use strict";
const net = require("net");

module.exports.connect = () => {
  const socket = net.connect(Number(process.env.REDIS_PORT), process.env.REDIS_HOST);
  const waiting = [];
  socket.on("data", data => {
    for (const reply of data.toString().match(/[+:-][^\r]*\r\n|\$-1\r\n|\$\d+\r\n[^\r]*\r\n/g)) waiting.shift()(reply.trim());
  });
  const send = (...words) => new Promise(done => {
    waiting.push(done);
    socket.write(`*${words.length}\r\n` + words.map(word => `$${String(word).length}\r\n${word}\r\n`).join(""));
  });
  return { send };
};
