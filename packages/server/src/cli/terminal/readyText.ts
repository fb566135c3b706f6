import type { ReadyInfo } from '../../app/roles/startedRole.ts'
import { escapeText } from '../../lib/escapeText.ts'
import { table, timeText } from './output.ts'
import { type Style, unstyled } from './style.ts'

/** Flags by which another command uses the same config and data, as ` --config chaintape.yaml`. */
export function calledWith(options: Readonly<Record<string, unknown>>): string {
  const { config, dataDir, databaseUrl } = options
  return [
    ...(typeof config === 'string' ? ['--config', shellWord(config)] : []),
    ...(typeof dataDir === 'string' ? ['--data-dir', shellWord(dataDir)] : []),
    // The URL may contain a password, so it is not repeated.
    ...(typeof databaseUrl === 'string' ? ['--database-url', '<as given here>'] : []),
  ]
    .map((word) => ` ${word}`)
    .join('')
}

function shellWord(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

type Words = { key: string; pair: string }

/**
 * Passes the key by standard input: arguments of curl are visible to other users of the machine.
 */
export function curlWithKey(key: string): string {
  return `echo "X-API-KEY: ${key}" | curl -H @-`
}

/** First commands to try in a shell. */
function exampleCommands({ address, chains, examplePairId }: ReadyInfo, words: Words): string[] {
  const curl = curlWithKey(words.key)
  const commands = chains
    .slice(0, 1)
    .map((chain) => `${curl} "${address}/v2/tokens/main?chain=${chain}"`)
  if (examplePairId !== null) {
    commands.push(`${curl} "${address}/v2/pairs/${words.pair}"`)
    const listen = `npx --no-install chaintape listen --url "${address}" tx "${words.pair}"`
    // Passes the key by the environment, for the same reason.
    commands.push(`CHAINTAPE_API_KEY="${words.key}" ${listen}`)
  }
  commands.push(`curl ${address}/health/ready`)
  return commands
}

const exposedText =
  'Others can reach this address and nothing is encrypted: put TLS in front (docs/operating.md, "TLS and proxies").'

/** Says where the key is. A key from the configuration is never printed. */
function keyRow({ apiKey, keyFrom }: ReadyInfo): string {
  if (apiKey !== null) return apiKey
  return keyFrom === 'config'
    ? 'api_key of the configuration'
    : 'make one as below; those made before go on working'
}

function shellLines({ apiKey, keyFrom, examplePairId }: ReadyInfo, flags: string): string[] {
  const create = `$(npx --no-install chaintape keys create --plan unlimited${flags})`
  const key = apiKey ?? (keyFrom === 'config' ? "'<api_key of the configuration>'" : `"${create}"`)
  return [`export KEY=${key}`, ...(examplePairId === null ? [] : [`export PAIR=${examplePairId}`])]
}

const generatorText = 'localsol: a generator, no validator'
const demoText = 'demo: bots trade tokens of no value on a chain of its own'
const forgetsText = 'each start makes a new market; keys and settings stay'

export function readyText(info: ReadyInfo, flags = '', style: Style = unstyled): string {
  const { address, terminalUrl, earlierKeysUntilS, chains, waiting, devnetRpcUrl } = info
  const rows = [
    ['address', address],
    ...(terminalUrl === null ? [] : [['terminal', terminalUrl]]),
    ['API key', keyRow(info)],
    ...(earlierKeysUntilS === null
      ? []
      : [
          [
            '',
            `keys of earlier starts go on working, the last until ${timeText(earlierKeysUntilS)}`,
          ],
        ]),
    ['chains', devnetRpcUrl === null ? chains.join(', ') : `${chains.join(', ')} (${demoText})`],
    ...(devnetRpcUrl === null ? [] : [['', forgetsText]]),
    ['reference', `${address}/docs`],
  ]
  if (devnetRpcUrl !== null) rows.push(['chain RPC', devnetRpcUrl])
  if (info.localsolRpcUrl !== null)
    rows.push(['Solana RPC', `${info.localsolRpcUrl} (${generatorText})`])
  const indented = (line: string) => `  ${escapeText(line)}`
  return [
    '',
    ...(waiting.length === 0
      ? [style.good('Chaintape is ready.')]
      : [style.warning('Chaintape serves, but not all of it yet:'), ...waiting.map(indented)]),
    '',
    ...table(rows).map(indented),
    ...(info.isExposed ? ['', style.warning(indented(exposedText))] : []),
    '',
    style.bold('In another terminal, first:'),
    '',
    ...shellLines(info, flags).map(indented),
    '',
    style.bold('Then try:'),
    '',
    ...exampleCommands(info, { key: '$KEY', pair: '$PAIR' }).map(indented),
    '',
    style.dim('Ctrl-C stops it.'),
    '',
    '',
  ].join('\n')
}

export function readyJson(info: ReadyInfo) {
  const words = { key: info.apiKey ?? '$KEY', pair: info.examplePairId ?? '$PAIR' }
  return {
    ready: info.waiting.length === 0,
    address: info.address,
    terminal_url: info.terminalUrl,
    exposed: info.isExposed,
    api_key: info.apiKey,
    earlier_keys_until: info.earlierKeysUntilS,
    chains: info.chains,
    waiting: info.waiting,
    devnet_rpc_url: info.devnetRpcUrl,
    localsol_rpc_url: info.localsolRpcUrl,
    example_pair_id: info.examplePairId,
    examples: exampleCommands(info, words),
  }
}
