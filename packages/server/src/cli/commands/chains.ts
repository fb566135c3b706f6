import type { Command } from 'commander'
import { type Preset, presets } from '../../config/presets.ts'
import { jsonOption } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult, table } from '../terminal/output.ts'

export function fillChains(command: Command, context: CliContext): void {
  command.option(...jsonOption).action((options) => {
    const rows = Object.entries(presets as Readonly<Record<string, Preset>>)
    printResult(context, {
      isJson: options.json === true,
      json: { chains: rows.map(([name, preset]) => ({ name, kind: 'evm', ...preset })) },
      lines: () => table([heads, ...rows.map(([name, preset]) => lineOf(name, preset))]),
    })
  })
}

const heads = ['chain', 'id', 'coin', 'block', 'stables', 'quotes', 'DEXes', 'launch platforms']

function lineOf(name: string, preset: Preset): string[] {
  const { chain_id: id, native, block_ms: blockMs, stables = [], quotes = [] } = preset
  const { factories = [], launch_platforms: platforms = [] } = preset
  const unique = (words: readonly string[]) => [...new Set(words)]
  return [
    name,
    id === undefined ? '-' : String(id),
    native?.symbol ?? '-',
    blockMs === undefined ? '-' : `${blockMs / 1_000} s`,
    String(stables.length),
    String(quotes.length),
    unique(factories.map(({ amm }) => amm)).length.toString(),
    unique(platforms.map(({ platform }) => platform)).join(', ') || '-',
  ]
}
