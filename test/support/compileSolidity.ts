import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

/** Contracts that only a test needs, by name. */
export function compileSolidity(path: string): Map<string, Artifact> {
  const require = createRequire(new URL('../../packages/devnet/package.json', import.meta.url))
  const solc = require('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { source: { content: readFileSync(path, 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'))
  return new Map(
    Object.entries(output.contracts.source!).map(([name, { abi, evm }]) => {
      return [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }]
    }),
  )
}
