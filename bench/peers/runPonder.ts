import { setTimeout as delay } from 'node:timers/promises'
import { installPeer } from './installPeer.ts'
import { openPeerDatabase } from './peerDatabase.ts'
import { startPeerProcess } from './peerProcess.ts'
import { freePort, type PeerChain, type PeerRound } from './peerRound.ts'

const peer = {
  name: 'ponder',
  // The newest version that installs on Node 20. According to its changelog, `1.0.0` is 0.10.
  packages: { ponder: '0.16.10', viem: '2.57.1', hono: '4.13.8', typescript: '5.9.3' },
  isModule: true,
  files: {
    'ponder.config.js': 'ponder.config.ts',
    'ponder.schema.js': 'ponder.schema.ts',
    'swaps.js': 'src/index.ts',
    'api.js': 'src/api/index.ts',
  },
}
// Finer than a hundredth of a run, and no noticeable load.
const pollMs = 50

export const installPonder = () => installPeer(peer)

/**
 * Measures from Ponder's first request to the node until it reports that the whole backfill is
 * indexed.
 */
export async function runPonder(dir: string, chain: PeerChain): Promise<PeerRound> {
  const { node, terms } = chain
  const database = await openPeerDatabase()
  const { host, port, user, database: name } = database.connection
  const own = await freePort()
  const firstRequest = node.nextRequest()
  const env = {
    BENCH_CHAIN: JSON.stringify(terms),
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`,
    PONDER_TELEMETRY_DISABLED: '1',
  }
  const args = [
    'node_modules/ponder/dist/esm/bin/ponder.js',
    'start',
    '--schema',
    'bench',
    '--port',
    `${own}`,
  ]
  const program = startPeerProcess(dir, args, env)
  try {
    const failed = program.ended.then(() => {
      throw new Error('Ponder ended before it was ready.')
    })
    const fromMs = await Promise.race([firstRequest, failed])
    await Promise.race([untilReady(`http://127.0.0.1:${own}/ready`), failed])
    const ms = Date.now() - fromMs
    const [swaps, klines] = [
      await database.ask('select count(*) from bench.swap'),
      await database.ask('select count(*) from bench.kline'),
    ]
    return { swaps, klines, ms }
  } finally {
    await program.stop()
    await database.stop()
  }
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await delay(pollMs)
  }
}
