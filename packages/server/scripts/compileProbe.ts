// Compiles src/risk/evm/trade/TradeProbe.sol into the source file that carries its bytecode.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>
}

const folder = resolve(import.meta.dirname, '../src/risk/evm/trade')
export const probeCodePath = resolve(folder, 'tradeProbeCode.ts')

/** Text of the generated source file; the same bytes on any machine. */
export function compileProbe(): string {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const name = 'TradeProbe.sol'
  const sources = { [name]: { content: readFileSync(resolve(folder, name), 'utf8') } }
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    viaIR: true,
    // Runs on chains that have no newer instructions.
    evmVersion: 'london',
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })),
  ) as Output
  const faults = output.errors ?? []
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'))
  const code = output.contracts[name]!.TradeProbe!.evm.deployedBytecode.object
  return [
    '// Made by scripts/compileProbe.ts from TradeProbe.sol; a test compiles it again.',
    'export const tradeProbeCode =',
    `  '0x${code}'`,
    '',
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(probeCodePath, compileProbe())
