// Compiles contracts/*.sol into artifacts/*.json: abi and creation bytecode, one file per contract.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>
  >
}

const root = resolve(import.meta.dirname, '..')
export const artifactsDir = join(root, 'artifacts')

/** File name to file text of every artifact; the same bytes on any machine. */
export function compileContracts(): Map<string, string> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const dir = join(root, 'contracts')
  const names = readdirSync(dir).filter((name) => name.endsWith('.sol'))
  const sources = Object.fromEntries(
    names.sort().map((name) => [name, { content: readFileSync(join(dir, name), 'utf8') }]),
  )
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'cancun',
    // Without the metadata hash a changed comment does not change the bytecode.
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })),
  ) as Output
  const faults = output.errors ?? []
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'))
  const artifacts = new Map<string, string>()
  for (const name of names) {
    const contractName = name.replace(/\.sol$/, '')
    const contract = output.contracts[name]?.[contractName]
    const bytecode = contract?.evm.bytecode.object
    if (!contract || !bytecode) continue
    const artifact = { abi: contract.abi, bytecode: `0x${bytecode}` }
    artifacts.set(`${contractName}.json`, `${JSON.stringify(artifact, null, 1)}\n`)
  }
  return artifacts
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, text] of compileContracts()) writeFileSync(join(artifactsDir, name), text)
