import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

export type SolidityInput = {
  sources: Readonly<Record<string, { content: string }>>
  /** Files whose contracts are returned; others are only imported. */
  files: readonly string[]
  settings: { optimizer: object; viaIR?: boolean; evmVersion?: string }
}

function loadSolc() {
  const require = createRequire(new URL('../../packages/devnet/package.json', import.meta.url))
  return require('solc') as { compile(input: string): string; version(): string }
}

export const solcVersion = () => loadSolc().version()

/** Compiles contracts that only tests need. Returns them by name. */
export function compileSolidity(path: string): Map<string, Artifact> {
  const sources = { source: { content: readFileSync(path, 'utf8') } }
  const settings = { optimizer: { enabled: true, runs: 200 } }
  return compileSources({ sources, files: ['source'], settings })
}

/** The contracts of the files, by name. */
export function compileSources({ sources, files, settings }: SolidityInput): Map<string, Artifact> {
  const wanted = { '*': ['abi', 'evm.bytecode.object'] }
  const outputSelection = Object.fromEntries(files.map((file) => [file, wanted]))
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } }
  const output = JSON.parse(loadSolc().compile(JSON.stringify(input))) as Output
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'))
  return new Map(
    Object.values(output.contracts).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]): [string, Artifact] => {
        return [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }]
      }),
    ),
  )
}
