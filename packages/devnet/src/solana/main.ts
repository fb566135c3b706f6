// The second local chain as a program of its own: `node main.js
// '{"host":"127.0.0.1","port":0,"seed":"1"}'`. A generator of Solana blocks behind the RPC of a
// node, and no validator. It reports to its parent as the first one does.
import { parseArguments, runProgram, tell } from '../program.ts'
import { LiveChain, slotMs } from './liveChain.ts'
import { solanaProfile } from './solanaProfile.ts'
import { startSolanaRpc } from './solanaRpcServer.ts'

// A market of some minutes, so that charts have something to show; more would only delay the start.
const historySMax = 300
const finalityBlocks = 32

await runProgram(async ({ exit, onStop }) => {
  const {
    host,
    port,
    seed = '1',
    historyS = historySMax,
    blocksMax = 20_000,
  } = parseArguments(process.argv[2])
  const live = new LiveChain({
    seed: Number(seed),
    blocksMax,
    nowMs: Date.now(),
    historyS: Math.min(historyS, historySMax),
  })
  const { chain, genesisHash } = live
  const rpc = await startSolanaRpc(() => chain, {
    host,
    port,
    finalityBlocks,
    genesis: genesisHash,
  })
  const timer = setInterval(() => {
    live.advance(Date.now())
    rpc.announce()
    if (!live.isFull) return
    clearInterval(timer)
    void exit(0, { type: 'rollover' })
  }, slotMs / 4)
  onStop(async () => {
    clearInterval(timer)
    await rpc.stop()
  })
  await tell({
    type: 'ready',
    rpcUrl: rpc.url,
    wsUrl: rpc.wsUrl,
    profile: solanaProfile,
    genesisHash,
  })
  await tell({ type: 'history', minedS: historyS, totalS: historyS })
})
