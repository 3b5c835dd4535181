// pinfold.mjs: run a command in a box from Node, by the pinfold program alone. Node 18 or later.
//
//     import { run } from "./pinfold.mjs";
//     const { exit, receipt, stdout, stderr } = await run(["npm", "test"], { folder: "/home/me/project" });
//     if (receipt?.confined !== "full") throw new Error("not confined");
//
//     node pinfold.mjs [--program PATH] COMMAND [ARGUMENT...]     prints the outcome as JSON
//
// The receipt comes by descriptor 3; without one pinfold was killed, and nothing is known. Descriptor 4 is what the box
// is tied to: Node's end of it closes when this process ends, by whatever signal, and the box then ends too. A byte
// written to it is a signal for the command.
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

async function read(stream) {
    const parts = [];
    for await (const part of stream) parts.push(part);
    return Buffer.concat(parts);
}

/**
 * Start a run.
 * @param {string[]} command
 * @param {{program?: string, folder?: string, options?: string[], env?: Record<string, string>}} [how]
 *   options: more options of pinfold run, such as ["--timeout", "5m", "--policy", "/etc/harness/policy.json"]
 * @returns {{child: import("node:child_process").ChildProcess, kill: (signal?: string) => void,
 *   done: Promise<{exit: number, receipt: object | null, stdout: Buffer, stderr: Buffer}>}}
 */
export function start(command, { program = "pinfold", folder = process.cwd(), options = [], env = process.env } = {}) {
    statSync(folder); // else spawn says of the program that it is not there
    const child = spawn(program, ["run", "--receipt", "fd:3", "--tie", "fd:4", "--fd", "none", ...options, "--", ...command],
        { cwd: folder, env, stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"] });
    const [, stdout, stderr, receipt, tie] = child.stdio;
    tie.on("error", () => {}); // it has ended meanwhile
    const exit = new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
    });
    const done = Promise.all([exit, read(receipt), read(stdout), read(stderr)]).then(([code, text, out, err]) => {
        tie.destroy();
        return { exit: code, receipt: text.length ? JSON.parse(text) : null, stdout: out, stderr: err };
    });
    return { child, done, kill: (signal = "SIGKILL") => { tie.write(Buffer.from([constants.signals[signal]])); } };
}

/** Run a command to its end. */
export async function run(command, how) {
    return start(command, how).done;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const words = process.argv.slice(2);
    const program = words[0] === "--program" ? words.splice(0, 2)[1] : undefined;
    const { exit, receipt, stdout, stderr } = await run(words, { program });
    console.log(JSON.stringify({ exit, outcome: receipt?.outcome, confined: receipt?.confined, stdout: stdout.toString(),
        stderr: stderr.toString() }));
}
