import type { ReadyInfo } from '../app/startApp.ts'
import { table, timeText } from './output.ts'

/** What to try first, as shell commands. */
function exampleCommands({ address, apiKey, chains, examplePairId }: ReadyInfo): string[] {
  const header = `-H "X-API-KEY: ${apiKey ?? '$KEY'}"`
  const commands = chains
    .slice(0, 1)
    .map((chain) => `curl ${header} "${address}/v2/tokens/main?chain=${chain}"`)
  if (examplePairId !== null) {
    commands.push(`curl ${header} "${address}/v2/pairs/${examplePairId}"`)
    commands.push(subscribeCommand(`${address.replace(/^http/, 'ws')}/ws`, apiKey, examplePairId))
  }
  commands.push(`curl ${address}/health/ready`)
  return commands
}

// Long enough to see trades, short enough to end by itself.
const watchS = 60

function subscribeCommand(url: string, apiKey: string | null, pairId: string): string {
  const [pair, chain] = [pairId.slice(0, pairId.lastIndexOf('-')), pairId.split('-').at(-1)]
  const call = { jsonrpc: '2.0', id: 1, method: 'subscribe', params: ['tx', pair, chain] }
  const socket = `"${url}?api_key=${apiKey ?? '$KEY'}"`
  return `npx wscat -c ${socket} -w ${watchS} -x '${JSON.stringify(call)}'`
}

const exposedText =
  'Others can reach this address and nothing is encrypted: put TLS in front (docs/operating.md, "TLS and proxies").'

export function readyText(info: ReadyInfo): string {
  const { address, apiKey, earlierKeysUntilS, chains, waiting, devnetRpcUrl } = info
  const rows = [
    ['address', address],
    ['API key', apiKey ?? 'as before; make another with: chaintape keys create --plan unlimited'],
    ...(earlierKeysUntilS === null
      ? []
      : [
          [
            '',
            `keys of earlier starts go on working, the last until ${timeText(earlierKeysUntilS)}`,
          ],
        ]),
    ['chains', chains.join(', ')],
    ['reference', `${address}/docs`],
  ]
  if (devnetRpcUrl !== null) rows.push(['chain RPC', devnetRpcUrl])
  const indented = (text: string) => text.replace(/^/gm, '  ')
  return [
    '',
    ...(waiting.length === 0
      ? ['Chaintape is ready.']
      : ['Chaintape serves, but not all of it yet:', ...waiting.map(indented)]),
    '',
    indented(table(rows)),
    ...(info.isExposed ? ['', indented(exposedText)] : []),
    '',
    'Try:',
    '',
    indented(exampleCommands(info).join('\n')),
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}

export function readyJson(info: ReadyInfo) {
  return {
    ready: info.waiting.length === 0,
    address: info.address,
    exposed: info.isExposed,
    api_key: info.apiKey,
    earlier_keys_until: info.earlierKeysUntilS,
    chains: info.chains,
    waiting: info.waiting,
    devnet_rpc_url: info.devnetRpcUrl,
    example_pair_id: info.examplePairId,
    examples: exampleCommands(info),
  }
}
