// Ends with 0 if the service beside it is ready: node health.mjs [https://127.0.0.1:8420/ready]
import http from 'node:http';
import https from 'node:https';

const url = new URL(process.argv[2] ?? 'http://127.0.0.1:8420/ready');
const { get } = url.protocol === 'https:' ? https : http;
// It shows a workload's certificate, which is for no host, and nothing secret is asked or told.
const asked = get(url, { rejectUnauthorized: false, timeout: 2_000 }, (reply) => {
  process.exit(reply.statusCode === 200 ? 0 : 1);
});
asked.on('timeout', () => asked.destroy());
asked.on('error', () => process.exit(1));
