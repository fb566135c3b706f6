import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A process that communicates in JSON lines. */
export type JsonLineProcess = {
  pid: number
  say(line: string): void
  /** The next line with this event; rejects if the process ends before. */
  next<line extends { event: string }>(event: line['event']): Promise<line>
  /** Closes the process's input, which ends it. */
  stop(): Promise<void>
}

/** Starts a program, pinned to one core where `taskset` exists. */
export function startJsonLineProcess(
  core: number,
  program: string,
  args: readonly string[],
): JsonLineProcess {
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit']
  const child = hasTaskset
    ? spawn('taskset', ['-c', String(core), program, ...args], { stdio })
    : spawn(program, args, { stdio })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines: { event: string }[] = []
  let wake: () => void = () => undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line))
    wake()
  })
  child.once('exit', () => wake())
  child.stdin.on('error', () => undefined)
  return {
    pid: child.pid!,
    say: (line) => void child.stdin.write(`${line}\n`),
    async next<line extends { event: string }>(event: line['event']) {
      for (;;) {
        const line = lines.shift()
        if (line?.event === event) return line as line
        if (line !== undefined) continue
        if (hasEnded(child)) throw new Error(`${program} ended before it said "${event}".`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async stop() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      if (!hasEnded(child)) await ended
      clearTimeout(timer)
    },
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

const hasTaskset = await new Promise<boolean>((resolve) => {
  const child = spawn('taskset', ['-c', '1', 'true'], { stdio: 'ignore' })
  child.once('error', () => resolve(false))
  child.once('exit', (code) => resolve(code === 0))
})

// Clock ticks in /proc/<pid>/stat; 100 on every relevant Linux.
const clockTicksPerS = 100

/** CPU time of a process so far, user and system. */
export function cpuSecondsOf(pid: number): number {
  const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / clockTicksPerS
}
