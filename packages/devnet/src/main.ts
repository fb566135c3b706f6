// The local chain as a program of its own: `node main.js '{"host":"127.0.0.1","port":8545,"dataDir":"..."}'`.
// It reports to its parent over IPC, or as JSON lines on standard output when it has none.
import { createDevnet, type Devnet } from './devnet.ts'
import { DevnetError } from './errors.ts'
import { forkCheckpoint } from './forkCheckpoint.ts'
import type { DevnetArguments, DevnetMessage } from './message.ts'

const historyDefaultS = 1800

function tell(message: DevnetMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send && process.connected)
      process.send(message, undefined, undefined, () => resolve())
    else process.stdout.write(`${JSON.stringify(message)}\n`, () => resolve())
  })
}

function parseArguments(text: string | undefined): DevnetArguments {
  let value: unknown
  try {
    value = JSON.parse(text ?? '')
  } catch (cause) {
    throw new DevnetError('DEVNET_ARGUMENTS', 'The first argument is not JSON.', { cause })
  }
  const { host, port, dataDir } = (value ?? {}) as Partial<DevnetArguments>
  if (typeof host !== 'string' || typeof port !== 'number' || typeof dataDir !== 'string')
    throw new DevnetError('DEVNET_ARGUMENTS', 'The first argument needs host, port and dataDir.')
  return value as DevnetArguments
}

async function exit(code: number, message?: DevnetMessage): Promise<never> {
  if (message) await tell(message)
  process.exit(code)
}

const fail = (error: unknown) =>
  exit(1, { type: 'failed', message: error instanceof Error ? error.message : String(error) })

let devnet: Devnet | undefined
let isStopping = false

async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  await devnet?.stop()
  await exit(0)
}

// Ctrl-C reaches the whole process group; the parent decides when the chain stops.
process.on('SIGINT', () => {})
process.on('SIGTERM', stop)
process.on('disconnect', stop)
// A parent that was killed while this program was being loaded went unheard: it would mine for nobody, for ever.
if (process.connected === false) await stop()

try {
  const { historyS = historyDefaultS, ...rest } = parseArguments(process.argv[2])
  devnet = await createDevnet({
    ...rest,
    historyS,
    isLive: true,
    makeCheckpoint: forkCheckpoint,
    onLog: (message) => void tell({ type: 'log', message }),
    onReplay: (minedBlocks, totalBlocks) => void tell({ type: 'replay', minedBlocks, totalBlocks }),
    onHistory: (minedS, totalS) => void tell({ type: 'history', minedS, totalS }),
    onRollover: () => void exit(0, { type: 'rollover' }),
    onFailed: (error) => void fail(error),
  })
  const { rpcUrl, wsUrl, profile, chainId, genesisHash, isReplayed } = devnet
  await tell({ type: 'ready', rpcUrl, wsUrl, profile, chainId, genesisHash, isReplayed })
  await devnet.historyMined
  await tell({ type: 'history', minedS: historyS, totalS: historyS })
} catch (error) {
  await fail(error)
}
