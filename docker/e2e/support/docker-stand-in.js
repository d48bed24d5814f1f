#!/usr/bin/env node
// The `docker` that the pages' commands find: hands its words and settings to the test, and prints what it answers.
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';

const socket = connect(process.env.STAND_IN_SOCKET);
socket.end(JSON.stringify({ words: process.argv.slice(2), env: process.env }));
const { output, code } = await json(socket);
process.stdout.write(output);
process.exitCode = code;
