import { spawn } from 'node:child_process'

export type PeerProcess = {
  /** Resolves when the process ends successfully; rejects with the end of its output otherwise. */
  ended: Promise<void>
  stop(): Promise<void>
}

// Output kept for the error message.
const keptMax = 4_000

export function startPeerProcess(
  dir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): PeerProcess {
  const child = spawn(process.execPath, args, {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  const keep = (part: Buffer) => {
    written = (written + part.toString()).slice(-keptMax)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  let isStopped = false
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => {
      if (code === 0 || isStopped) resolve()
      else reject(new Error(`${args[0]} ended with ${code}: ${written}`))
    })
  })
  // Prevents an unhandled rejection: callers that wait for other output get the error there.
  ended.catch(() => {})
  return {
    ended,
    async stop() {
      isStopped = true
      child.kill('SIGKILL')
      await ended
    },
  }
}
