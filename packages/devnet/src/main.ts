// The local chain as a program: `node main.js '{"host":"127.0.0.1","port":8545}'`. It reports to
// its parent over IPC, or without one as JSON lines on standard output.
import { createDevnet } from './devnet.ts'
import { parseArguments, runProgram, tell } from './program.ts'

const historyDefaultS = 1800

await runProgram(async ({ exit, fail, onStop }) => {
  const { historyS = historyDefaultS, ...rest } = parseArguments(process.argv[2])
  const devnet = await createDevnet({
    ...rest,
    historyS,
    isLive: true,
    onLog: (message) => void tell({ type: 'log', message }),
    onHistory: (minedS, totalS) => void tell({ type: 'history', minedS, totalS }),
    onRollover: () => void exit(0, { type: 'rollover' }),
    onFailed: (error) => void fail(error),
  })
  onStop(() => devnet.stop())
  const { rpcUrl, wsUrl, profile, chainId, genesisHash } = devnet
  await tell({ type: 'ready', rpcUrl, wsUrl, profile, chainId, genesisHash })
  await devnet.historyMined
  await tell({ type: 'history', minedS: historyS, totalS: historyS })
})
