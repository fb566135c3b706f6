import { installPeer } from './installPeer.ts'
import { openPeerDatabase } from './peerDatabase.ts'
import { startPeerProcess } from './peerProcess.ts'
import { freePort, type PeerChain, type PeerRound } from './peerRound.ts'

const peer = {
  name: 'sqd',
  packages: {
    '@subsquid/evm-processor': '1.27.3',
    '@subsquid/typeorm-store': '1.5.1',
    typeorm: '0.3.17',
    pg: '8.16.3',
  },
  isModule: false,
  files: { 'main.cjs': 'main.cjs', 'model.cjs': 'lib/model/index.js' },
}
const columns = 'id text primary key, pair text'
const tables = `
  create table swap (${columns}, block integer, "time" integer, wallet text, amount0 numeric, amount1 numeric,
    price double precision);
  create table kline (${columns}, interval integer, start integer, open double precision, high double precision,
    low double precision, close double precision, volume0 numeric, volume1 numeric, count integer)`

export const installSqd = () => installPeer(peer)

/**
 * Measures from SQD's first request to the node to its end, which is after the last block of its
 * range.
 */
export async function runSqd(dir: string, chain: PeerChain): Promise<PeerRound> {
  const { node, terms } = chain
  const database = await openPeerDatabase()
  try {
    await database.run(tables)
    const { host, port, user, database: name } = database.connection
    const firstRequest = node.nextRequest()
    const program = startPeerProcess(dir, ['main.cjs'], {
      BENCH_CHAIN: JSON.stringify(terms),
      DB_HOST: host,
      DB_PORT: `${port}`,
      DB_USER: user,
      DB_PASS: 'none',
      DB_NAME: name,
      PROMETHEUS_PORT: `${await freePort()}`,
    })
    const failed = program.ended.then(() => new Promise<never>(() => {}))
    const fromMs = await Promise.race([firstRequest, failed])
    await program.ended
    const ms = Date.now() - fromMs
    const [swaps, klines] = [
      await database.ask('select count(*) from swap'),
      await database.ask('select count(*) from kline'),
    ]
    return { swaps, klines, ms }
  } finally {
    await database.stop()
  }
}
