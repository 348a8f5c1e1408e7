// memgit in OpenCode: tells memgit what sessions do to a project's memory. Written by `memgit hooks install`.
import { spawn } from "node:child_process"

const program = ["memgit"]
const seconds = 15

/** Hands one event to memgit; resolves to its answer, and to nothing where there is none. */
const hook = (verb, fields) =>
  new Promise((resolve) => {
    const rest = ["hook", verb, "--via", "settings", "--for", "opencode"]
    const child = spawn(program[0], [...program.slice(1), ...rest], { stdio: ["pipe", "pipe", "ignore"] })
    const chunks = []
    const timer = setTimeout(() => child.kill(), seconds * 1000)
    child.stdout.on("data", (chunk) => chunks.push(chunk))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve(undefined))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString()))
      } catch {
        resolve(undefined)
      }
    })
    child.stdin.end(JSON.stringify(fields))
  })

export const Memgit = async ({ client, directory }) => {
  const tool = (input, args) => ({
    session_id: input.sessionID,
    cwd: directory,
    tool_name: { write: "Write", edit: "Edit" }[input.tool] ?? input.tool,
    tool_use_id: input.callID,
    tool_input: { ...args, file_path: args?.filePath },
  })
  const called = new Map()
  return {
    event: async ({ event }) => {
      if (event.type === "session.created") {
        const answer = await hook("session-start", { session_id: event.properties.info.id, cwd: directory })
        if (answer?.systemMessage) {
          await client.tui.showToast({ body: { message: answer.systemMessage, variant: "warning" } })
        }
      }
      if (event.type === "session.idle") {
        await hook("session-end", { session_id: event.properties.sessionID, cwd: directory })
      }
    },
    "tool.execute.before": async (input, output) => {
      called.set(input.callID, output.args)
      await hook("pre-tool-use", tool(input, output.args))
    },
    "tool.execute.after": async (input) => {
      const args = called.get(input.callID)
      called.delete(input.callID)
      await hook("post-tool-use", tool(input, args))
    },
  }
}
