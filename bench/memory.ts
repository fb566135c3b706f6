// Memory of the local chain, or of a whole service on it, over time: the sum of its processes (PSS,
// which counts a shared page once) every few seconds, its maximum, and its growth after a settling
// time. npx tsx bench/memory.ts [--minutes 45] [--settled-minutes 30] [--sample-s 10] [--service]
// [--block-ms 1000] [--data-dir <path>]
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '45' },
    'settled-minutes': { type: 'string', default: '30' },
    'sample-s': { type: 'string', default: '10' },
    'block-ms': { type: 'string', default: '1000' },
    service: { type: 'boolean', default: false },
    'data-dir': { type: 'string' },
  },
})

const root = join(import.meta.dirname, '..')
const sampleMs = Number(values['sample-s']) * 1000

type Process = { pid: number; parent: number; name: string }

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
        const end = stat.lastIndexOf(')')
        const parent = Number(stat.slice(end + 2).split(' ')[1])
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
        return [{ pid: Number(pid), parent, name: nameOf(command) }]
      } catch {
        return []
      }
    })
}

function nameOf(command: readonly string[]): string {
  const line = command.join(' ')
  if (line.includes('devnet/dist/main')) return 'chain'
  if (line.includes('devnet/dist/solana')) return 'localsol'
  if (line.includes('postgres')) return 'postgres'
  return line.includes('bin/chaintape') ? 'service' : 'npm'
}

/** PSS of a process and all its descendants, by name. */
function pssMb(pid: number): Map<string, number> {
  const all = processes()
  const sums = new Map<string, number>()
  function add({ pid: of, name }: Process): void {
    try {
      const text = readFileSync(`/proc/${of}/smaps_rollup`, 'latin1')
      const kb = Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0)
      sums.set(name, (sums.get(name) ?? 0) + kb / 1024)
    } catch {
      // The process has just ended.
    }
    for (const child of all) if (child.parent === of) add(child)
  }
  const first = all.find((process) => process.pid === pid)
  if (first) add(first)
  return sums
}

/** Slope by least squares, per minute. */
function slopeOf(samples: readonly { atS: number; mb: number }[]): number {
  const mean = (pick: (sample: { atS: number; mb: number }) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length
  const at = mean(({ atS }) => atS)
  const mb = mean((sample) => sample.mb)
  const over = samples.reduce((sum, sample) => sum + (sample.atS - at) * (sample.mb - mb), 0)
  const under = samples.reduce((sum, sample) => sum + (sample.atS - at) ** 2, 0)
  return (60 * over) / under
}

function startChain(): ChildProcess {
  const args = { host: '127.0.0.1', port: 0, blockMs: Number(values['block-ms']) }
  const program = join(root, 'packages/devnet/dist/main.js')
  return fork(program, [JSON.stringify(args)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
}

/** Starts the service like a user, so that npm and its shell count too. */
function startService(dataDir: string): ChildProcess {
  const args = ['start', '--', '--data-dir', dataDir, '--port', '0', '--devnet-port', '0']
  return spawn('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

const dataDir = values['data-dir'] ?? mkdtempSync(join(tmpdir(), 'memory-'))
const child = values.service ? startService(dataDir) : startChain()
const startMs = Date.now()
child.on('message', (message: { type: string; message?: string }) => {
  const atS = Math.round((Date.now() - startMs) / 1000)
  if (message.type === 'ready' || message.type === 'log')
    console.log(`${atS} s: ${message.type} ${message.message ?? ''}`)
})
const samples: { atS: number; mb: number }[] = []
const endMs = startMs + Number(values.minutes) * 60_000
while (Date.now() < endMs && child.exitCode === null) {
  await setTimeout(sampleMs)
  const parts = pssMb(child.pid!)
  const mb = [...parts.values()].reduce((sum, part) => sum + part, 0)
  const atS = Math.round((Date.now() - startMs) / 1000)
  samples.push({ atS, mb })
  const shown = [...parts].map(([name, part]) => `${name} ${part.toFixed(0)}`).join(', ')
  console.log(`${atS} s: ${mb.toFixed(0)} MB (${shown})`)
}
child.kill('SIGTERM')
await new Promise((resolve) => child.once('exit', resolve))
const settledMinutes = Number(values['settled-minutes'])
const later = samples.filter(({ atS }) => atS >= settledMinutes * 60)
const most = (of: typeof samples) => Math.max(...of.map(({ mb }) => mb)).toFixed(0)
console.log(`At most ${most(samples)} MB.`)
if (later.length > 1)
  console.log(
    `After ${settledMinutes} minutes: at most ${most(later)} MB, ${slopeOf(later).toFixed(2)} MB a minute.`,
  )
if (values['data-dir'] === undefined) rmSync(dataDir, { recursive: true })
