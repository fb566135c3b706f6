// Blocks of a Solana chain by gRPC decode to the same events as by JSON-RPC, whatever blocks the
// stream omits.
import { afterEach, expect, test } from 'vitest'
import { GeneratedChain } from '../packages/devnet/src/solana/generatedChain.ts'
import { startSolanaRpc } from '../packages/devnet/src/solana/solanaRpcServer.ts'
import { createSolanaBlockSource } from '../packages/server/src/chain/solana/blockSource.ts'
import type { GrpcEndpoint } from '../packages/server/src/chain/solana/grpc/grpcStream.ts'
import { type Commitment, createSolanaRpc } from '../packages/server/src/chain/solana/solanaRpc.ts'
import { decodeSolanaBlock } from '../packages/server/src/decode/solana/decodeSolanaBlock.ts'
import { createLogger } from '../packages/server/src/lib/logger.ts'
import type { SolanaBlock } from '../packages/server/src/model/solana/rpcTransaction.ts'
import { type GrpcServer, startGrpcServer } from './support/solana/grpcServer.ts'
import { until } from './support/until.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const chainOf = () =>
  new GeneratedChain({ seed: 9, startTimeS: 1_700_000_000, transactions: 10, slotMs: 400 })

async function serveGrpc(token?: string): Promise<GrpcServer> {
  const server = await startGrpcServer(token)
  stops.push(server.stop)
  return server
}

/**
 * Follows a source. Returns the blocks that were not reverted, and the events decoded from them.
 */
async function follow(
  chain: GeneratedChain,
  streams: readonly GrpcEndpoint[] = [],
  commitment: Commitment = 'confirmed',
) {
  const node = await startSolanaRpc(() => chain)
  const ending = new AbortController()
  const logger = createLogger('silent')
  const rpc = createSolanaRpc({
    endpoints: [{ httpUrl: node.url }],
    timeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    batchSizeMax: 10,
    retryDelayMs: 5,
    logger,
  })
  const source = createSolanaBlockSource({
    chain: 'solana',
    rpc,
    startSlot: 1_000,
    known: [],
    finalizedNumber: -1,
    reorgDepthMax: 64,
    finality: { type: 'depth', blocks: 40 },
    commitment,
    pollMs: 5,
    streamSilentMs: 100,
    parallelBlocks: 4,
    retryMs: 5,
    streams,
    logger,
    // Time runs twenty times as fast: the source polls confirmed slots once a second.
    clock: { nowMs: () => 20 * Date.now() },
    signal: ending.signal,
  })
  const blocks: SolanaBlock[] = []
  const done = (async () => {
    for await (const event of source.events()) {
      if (event.type === 'commit') blocks.push(event.block)
      else if (event.type === 'revert') blocks.pop()
    }
  })()
  stops.push(node.stop, async () => {
    ending.abort()
    await done
    rpc.close()
  })
  const untilHead = () =>
    until(`slot ${chain.head.slot}`, async () => blocks.at(-1)?.ref.hash === chain.head.blockhash)
  return { node, source, blocks, untilHead }
}

const decodedOf = (blocks: readonly SolanaBlock[]) =>
  blocks.map((block) => decodeSolanaBlock(block, { holders: { sharedOwners: new Set() } }))

/** Events of the same chain, read by JSON-RPC only. */
async function decodedByRpc(chain: GeneratedChain) {
  const { blocks, untilHead } = await follow(chain)
  await untilHead()
  return decodedOf(blocks)
}

const openStreams = (server: GrpcServer, count = 1) =>
  until(`${count} streams`, async () => server.streams() === count)

const notThere = { code: -32_004, message: 'Block not available' }

test('default: streamed blocks are emitted without a request, and decode to the same events', async () => {
  const chain = chainOf()
  chain.mine(3)
  const server = await serveGrpc('secret')
  const streamed = await follow(chain, [{ url: server.url, token: 'secret' }])
  await openStreams(server)
  expect(server.levels()).toEqual([1])
  await streamed.untilHead()
  // From now on only the stream delivers blocks.
  streamed.node.refuse('getBlock', notThere, Number.POSITIVE_INFINITY)
  server.ping()
  for (let count = 0; count < 20; count++) {
    chain.mine()
    server.send(chain.head)
  }
  await streamed.untilHead()
  expect(decodedOf(streamed.blocks)).toEqual(await decodedByRpc(chain))
  expect(streamed.blocks.some(({ transactions }) => transactions.length > 0)).toBe(true)
  await until('an answer to the ping', async () => server.pongs() > 0)
})

test('behavior: blocks that a stream omits, before, between and after, are requested from the other nodes', async () => {
  const chain = chainOf()
  const server = await serveGrpc()
  chain.mine(5)
  const streamed = await follow(chain, [{ url: server.url }])
  for (let count = 0; count < 40; count++) {
    chain.mine()
    if (count % 7 === 3) server.drop()
    if (count % 5 === 0) await openStreams(server)
    if (count % 3 !== 1) server.send(chain.head)
  }
  await streamed.untilHead()
  expect(decodedOf(streamed.blocks)).toEqual(await decodedByRpc(chain))
})

test('behavior: an abandoned branch is reverted and the other one is followed, streamed or not', async () => {
  const chain = chainOf()
  const server = await serveGrpc()
  chain.mine(10)
  const streamed = await follow(chain, [{ url: server.url }])
  await streamed.untilHead()
  await openStreams(server)
  for (const branch of ['b', 'c', 'd']) {
    chain.drop(3)
    for (let count = 0; count < 5; count++) {
      chain.mine(1, branch)
      server.send(chain.head)
    }
    await streamed.untilHead()
  }
  expect(decodedOf(streamed.blocks)).toEqual(await decodedByRpc(chain))
})

/** Mines blocks on a branch, in slots at these distances from the newest one. */
function mineAhead(chain: GeneratedChain, steps: readonly number[], branch: string) {
  const { slot } = chain.head
  for (const step of steps) chain.mineAt(slot + step, branch)
  return chain.blocks.slice(-steps.length)
}

test.each([
  { name: 'above what was processed', others: [2, 4, 5] },
  { name: 'below it', others: [2] },
])(
  'behavior: processed blocks are emitted before nodes have them, and reverted once another branch is confirmed $name',
  async ({ others }) => {
    const [confirmed, processed] = [chainOf(), chainOf()]
    const server = await serveGrpc()
    for (const chain of [confirmed, processed]) chain.mine(6)
    const streamed = await follow(confirmed, [{ url: server.url }], 'processed')
    await streamed.untilHead()
    await openStreams(server)
    expect(server.levels()).toEqual([0])
    for (const block of mineAhead(processed, [1, 3], 'x')) server.send(block)
    const isLeft = async () => streamed.blocks.at(-1)!.ref.hash === processed.head.blockhash
    await until('the processed blocks', isLeft)
    mineAhead(confirmed, others, 'y')
    await streamed.untilHead()
    expect(decodedOf(streamed.blocks)).toEqual(await decodedByRpc(confirmed))
  },
)

test('behavior: many processed branches are reverted one after another, and confirmed blocks stay', async () => {
  const [confirmed, processed] = [chainOf(), chainOf()]
  const server = await serveGrpc()
  for (const chain of [confirmed, processed]) chain.mine(6)
  const streamed = await follow(confirmed, [{ url: server.url }], 'processed')
  await streamed.untilHead()
  await openStreams(server)
  const reverted = new Set<string>()
  for (let round = 0; round < 9; round++) {
    const ahead = mineAhead(processed, [1, 2, 4].slice(0, 1 + (round % 3)), `x${round}`)
    for (const block of ahead) {
      server.send(block)
      reverted.add(block.blockhash)
    }
    const isLeft = async () => streamed.blocks.at(-1)!.ref.hash === processed.head.blockhash
    await until(`the processed blocks of round ${round}`, isLeft)
    // The confirmed branch skips some of the slots. The stream delivers it in every other round
    // only.
    const steps = round % 2 === 0 ? [3, 5] : [5]
    processed.drop(ahead.length)
    const instead = mineAhead(processed, steps, 'y')
    mineAhead(confirmed, steps, 'y')
    expect(processed.head.blockhash).toBe(confirmed.head.blockhash)
    if (round % 2 === 0) for (const block of instead) server.send(block)
    await streamed.untilHead()
  }
  expect(reverted.size).toBe(18)
  expect(streamed.blocks.filter(({ ref }) => reverted.has(ref.hash))).toEqual([])
  expect(decodedOf(streamed.blocks)).toEqual(await decodedByRpc(confirmed))
})

test('behavior: processed blocks that get confirmed stay, and are not requested', async () => {
  const [confirmed, processed] = [chainOf(), chainOf()]
  const server = await serveGrpc()
  for (const chain of [confirmed, processed]) chain.mine(6)
  const streamed = await follow(confirmed, [{ url: server.url }], 'processed')
  await streamed.untilHead()
  await openStreams(server)
  for (let count = 0; count < 20; count++) {
    processed.mine()
    server.send(processed.head)
    if (count > 2) confirmed.mine()
  }
  const isAhead = async () => streamed.blocks.at(-1)!.ref.hash === processed.head.blockhash
  await until('the processed blocks', isAhead)
  const { asked } = streamed.node
  const untilLooked = (what: string) => {
    const slots = asked.get('getSlot')!
    return until(what, () => asked.get('getSlot')! > slots + 1)
  }
  // Requests that were sent before the stream delivered the block may still be in flight.
  await untilLooked('what was asked for has arrived')
  const blocks = asked.get('getBlock')
  confirmed.mine(3)
  await untilLooked('looks at what was confirmed')
  expect(asked.get('getBlock')).toBe(blocks)
  expect(decodedOf(streamed.blocks)).toEqual(await decodedByRpc(confirmed))
})

test('behavior: a streamed block is compared with the one other node', async () => {
  const chain = chainOf()
  const server = await serveGrpc()
  chain.mine(2)
  const streamed = await follow(chain, [{ url: server.url }])
  await streamed.untilHead()
  await openStreams(server)
  // The node answers slots only, so that just streams deliver this block.
  streamed.node.refuse('getBlock', notThere, Number.POSITIVE_INFINITY)
  chain.mine()
  server.send(chain.head)
  await streamed.untilHead()
  streamed.node.refuse('getBlock', { code: 0, message: '' }, 0)
  const block = streamed.blocks.at(-1)!
  expect(await streamed.source.confirm(block)).toBe('right')
  const { transactions } = block
  const isTrade = ({ meta }: (typeof transactions)[number]) => !!meta?.postTokenBalances?.length
  const without = transactions.filter((_, at) => at !== transactions.findIndex(isTrade))
  const other = await streamed.source.confirm({ ...block, transactions: without })
  expect(other).toHaveProperty('split')
})

test('error: a service that refuses the token, or sends invalid messages, leaves all blocks to the other nodes', async () => {
  const chain = chainOf()
  chain.mine(4)
  const server = await serveGrpc('secret')
  const { createServer } = await import('node:http2')
  const odd = createServer()
  odd.on('stream', (stream) => {
    stream.on('error', () => undefined)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    stream.write(Buffer.from('00000000047f7f7f7f', 'hex'))
  })
  await new Promise<void>((done) => odd.listen(0, '127.0.0.1', done))
  const port = (odd.address() as { port: number }).port
  stops.push(() => void odd.close())
  const streamed = await follow(chain, [
    { url: server.url, token: 'wrong' },
    { url: `http://127.0.0.1:${port}` },
    { url: 'http://127.0.0.1:1' },
  ])
  await until('a refusal', async () => server.refused() > 1)
  chain.mine(3)
  await streamed.untilHead()
  expect(decodedOf(streamed.blocks)).toEqual(await decodedByRpc(chain))
})
