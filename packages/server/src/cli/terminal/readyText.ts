import type { StartupInfo } from '../../app/roles/startedRole.ts'
import { escapeText } from '../../lib/escapeText.ts'
import { type Style, table, timeText, unstyled } from './output.ts'

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

/** Commands to try first in a shell. Null: no chain or no pair is known yet. */
function exampleCommands({ address, chains, examplePairId }: StartupInfo, words: Words) {
  const [chain] = chains
  const curl = curlWithKey(words.key)
  const listen = `npx --no-install chaintape listen --url "${address}" tx "${words.pair}"`
  return {
    tokens: chain === undefined ? null : `${curl} "${address}/v2/tokens/main?chain=${chain}"`,
    pair: examplePairId === null ? null : `${curl} "${address}/v2/pairs/${words.pair}"`,
    // Passes the key by the environment, because arguments are visible to other users.
    listen: examplePairId === null ? null : `CHAINTAPE_API_KEY="${words.key}" ${listen}`,
    ready: `curl ${address}/health/ready`,
  }
}

const exposedText =
  'Other machines can connect and nothing is encrypted: put TLS in front (docs/operate/operating.md, "TLS and proxies").'

/** Says where the key is. A key from the configuration is never printed. */
function keyText({ apiKey, keyFrom, earlierKeysUntilS }: StartupInfo): string {
  if (apiKey === null)
    return keyFrom === 'config'
      ? 'api_key of the configuration'
      : 'create one as below; existing keys stay valid'
  if (earlierKeysUntilS === null) return apiKey
  return `${apiKey} (keys of earlier starts work until ${timeText(earlierKeysUntilS)})`
}

function exportLines({ apiKey, keyFrom, examplePairId }: StartupInfo, flags: string): string[] {
  const create = `$(npx --no-install chaintape keys create --plan unlimited${flags})`
  const key = apiKey ?? (keyFrom === 'config' ? "'<api_key of the configuration>'" : `"${create}"`)
  return [`export KEY=${key}`, ...(examplePairId === null ? [] : [`export PAIR=${examplePairId}`])]
}

const demoText = 'demo: bots trade worthless tokens; each start makes a new market'
const generatorText = 'localsol: a generator, not a validator'

function addressRows(info: StartupInfo): string[][] {
  const { address, terminalUrl, chains, devnetRpcUrl, localsolRpcUrl } = info
  const names = chains.join(', ')
  return [
    ['address', address],
    ...(terminalUrl === null ? [] : [['terminal', terminalUrl]]),
    ['API key', keyText(info)],
    ['chains', devnetRpcUrl === null ? names : `${names} (${demoText})`],
    ['reference', `${address}/docs`],
    ...(devnetRpcUrl === null ? [] : [['chain RPC', devnetRpcUrl]]),
    ...(localsolRpcUrl === null ? [] : [['Solana RPC', `${localsolRpcUrl} (${generatorText})`]]),
  ]
}

/** Lines of the banner: more would push the steps of the start off a small terminal. */
const linesMax = 15

/** The banner of a service that is ready. */
export function readyText(info: StartupInfo, flags = '', style: Style = unstyled): string {
  const { waiting, isExposed } = info
  const { tokens, listen, ready } = exampleCommands(info, { key: '$KEY', pair: '$PAIR' })
  const commands = [tokens, listen ?? ready].filter((command) => command !== null)
  const indented = (line: string) => `  ${escapeText(line)}`
  const lines = [
    ...(isExposed ? [style.warning(indented(exposedText))] : []),
    ...table(addressRows(info)).map(indented),
    '',
    style.bold('Try it in another terminal:'),
    ...[...exportLines(info, flags), ...commands].map(indented),
  ]
  const title =
    waiting.length === 0
      ? style.good('Chaintape is ready. Ctrl-C stops it.')
      : style.warning('Chaintape serves, but some chains are not ready. Ctrl-C stops it.')
  const room = Math.max(1, linesMax - lines.length - 1)
  return [title, ...waitingLines(waiting, room).map(indented), ...lines, ''].join('\n')
}

/** Chains that are not ready, in at most `room` lines. The last line counts the chains left out. */
function waitingLines(waiting: readonly string[], room: number): string[] {
  const shown = waiting.slice(0, room)
  const more = waiting.length - shown.length
  return more === 0 ? shown : [...shown.slice(0, -1), `${shown.at(-1)} (and ${more} more)`]
}

export function readyJson(info: StartupInfo) {
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
    examples: Object.values(exampleCommands(info, words)).filter((command) => command !== null),
  }
}
