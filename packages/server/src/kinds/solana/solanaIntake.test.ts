import { expect, test } from 'vitest'
import { recordedTransactions } from '../../../../../test/support/solana/recorded.ts'
import { GeneratedChain } from '../../../../devnet/src/solana/generatedChain.ts'
import { startSolanaRpc } from '../../../../devnet/src/solana/solanaRpcServer.ts'
import { createLogger } from '../../lib/logger.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import type { RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import { openSolanaIntake } from './solanaIntake.ts'
import type { SolanaChainSetup } from './solanaSetup.ts'

const next = 'FLiNTXPwppyoJabCoxc2uiiRygAHpmMXajiDXo2Ub1z'

/** Opens an intake of a simulated node, with added venues. */
async function open(venues: SolanaChainSetup['venues']) {
  const chain = new GeneratedChain({ seed: 5, startTimeS: 1_790_000_000, transactions: 1 })
  chain.mine(3)
  const server = await startSolanaRpc(() => chain)
  const controller = new AbortController()
  const setup = {
    kind: 'solana',
    profile: {
      name: 'solana',
      reorgDepthMax: 32,
      venues: [{ address: next, venue: 'flint', amm: 'flint' }],
    },
    endpoints: [{ httpUrl: server.url }],
    streams: [],
    startBlock: 1,
    finality: { type: 'depth', blocks: 32 },
    commitment: 'confirmed',
    pollMs: 10,
    parallelBlocksMax: 1,
    sharedOwners: [],
    limits: { rpcMsMax: 5_000, rpcBatchRequestsMax: 10 },
    venues,
  } as unknown as SolanaChainSetup
  const intake = await openSolanaIntake({
    setup,
    known: [],
    firstNumber: null,
    finalizedNumber: -1,
    logger: createLogger('silent'),
    signal: controller.signal,
  })
  const close = async () => {
    controller.abort()
    intake.close()
    await server.stop()
  }
  return { intake, close }
}

test('behavior: swaps of a configured venue are decoded from live blocks and their pools identified', async () => {
  const [, recorded] = [...recordedTransactions()].find(([name]) => name.startsWith('1J3X41t9'))!
  const text = JSON.stringify(recorded)
  const transaction: RpcTransaction = JSON.parse(
    text.replaceAll('SSwapUtytfBdBn1b9NUGG6foMVPtcWgpRU32HToDUZr', next),
  )
  const ref = { number: 9, hash: 'This', parentNumber: 8, parentHash: 'That', timeS: 1_790_000_000 }
  const venue = { program: next, pool: 0, user: 2, name: 'flint' }
  for (const venues of [undefined, [venue]]) {
    const { intake, close } = await open(venues)
    const { events } = intake.decode({ ref, transactions: [transaction] })
    const swaps = events.filter((event): event is DecodedSwap => event.type === 'swap')
    const added = swaps.find(({ venues: names }) => names?.[0] === 'flint')
    expect(added?.amount1).toBe(venues && -9_472_907n)
    const query = { key: 'pool', pool: 'pool', venues: ['flint'], tokens: ['one', 'two'] } as const
    const [pool] = await intake.reader.readPools([query], { number: 9, hash: 'This' })
    expect(pool?.isConfirmed).toBe(venues && true)
    await close()
  }
})
