import type { ConfigProblem } from '../kinds/configProblem.ts'
import type { SchemaNode } from '../lib/schema.ts'
import { checkRelations } from './check/checkRelations.ts'
import { checkShape, nearestWord } from './check/checkShape.ts'
import { likelyMistakesOf } from './check/likelyMistakes.ts'
import { type ConfigFile, readConfigFile } from './configFile.ts'
import { ConfigError } from './errors.ts'
import { findChain, suggestChain } from './findChain.ts'
import { internalLimitsOf } from './internalLimits.ts'
import { plans as builtInPlans } from './presets/plans.ts'
import { presets } from './presets.ts'
import { type ConfigField, configFields } from './schema/fields.ts'
import { type Config, configSchema } from './schema/schema.ts'

/** Environment variable with the path of the configuration file, used without --config. */
export const configFileEnvName = 'CHAINTAPE_CONFIG'

/**
 * The API key for commands that ask a running service. A service on the same machine reads it as
 * its `api_key`.
 */
export function apiKeyInEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  return env.CHAINTAPE_API_KEY || undefined
}

export type LoadOptions = {
  /** Path of the configuration file. @default the environment variable's, else no file */
  file?: string | undefined
  /** Flags by name without dashes, for example `data-dir`. */
  flags?: Readonly<Record<string, string>> | undefined
  /** Environment variables. @default process.env */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** Turns warnings into errors. @default false */
  isStrict?: boolean | undefined
}

export type LoadedConfig = {
  config: Config
  /** Environment names that resemble ours and are unknown. */
  warnings: readonly ConfigProblem[]
  /** Valid settings that are almost surely a mistake. */
  advice: readonly ConfigProblem[]
}

/**
 * Loads flags over environment over file over defaults. Throws a ConfigError that names every
 * problem.
 */
export function loadConfig({
  file,
  flags = {},
  env = process.env,
  isStrict = false,
}: LoadOptions = {}): LoadedConfig {
  const problems: ConfigProblem[] = []
  const path = file ?? env[configFileEnvName]
  const read = path === undefined ? null : readConfigFile(path)
  const { $schema: _, testing, ...given } = read?.value ?? {}
  const outside = new Set<string>()
  const fields = configFields()
  for (const field of fields) {
    const name = field.envNames.find((name) => env[name] !== undefined && env[name] !== '')
    if (name !== undefined) put(given, field, env[name]!, name, problems)
    if (name !== undefined) outside.add(field.path)
    const flag = field.flag === null ? undefined : flags[field.flag]
    if (flag !== undefined) put(given, field, flag, `--${field.flag}`, problems)
    if (flag !== undefined) outside.add(field.path)
  }
  const warnings = unknownEnvNames(env, fields)
  const placed = (list: readonly ConfigProblem[]) =>
    list.map((one) => withPlace(one, read, outside))
  const config = {
    ...parseConfig(withPresets(given), problems),
    fixed: internalLimitsOf(testing, problems),
  }
  if (problems.length > 0)
    throw new ConfigError(placed(isStrict ? [...problems, ...warnings] : problems))
  return { config, warnings: placed(warnings), advice: placed(likelyMistakesOf(config)) }
}

/**
 * Collects all problems at once. Relations are checked as soon as the fields they concern are
 * valid.
 */
function parseConfig(given: unknown, problems: ConfigProblem[]): Config {
  const shape = checkShape(configSchema, given)
  problems.push(...shape.problems.map(withPresetHint))
  // Our checks accept only what fits the schema; a property test compares them.
  const config = shape.value as Config
  const faulty = problems.map(({ path }) => path)
  problems.push(...checkRelations(config, (path) => !faulty.some((one) => isWithin(one, path))))
  return config
}

/** Is a path equal to the other, inside it, or around it? */
function isWithin(path: string, other: string): boolean {
  const [short, long] = path.length < other.length ? [path, other] : [other, path]
  return long === short || long.startsWith(`${short}.`) || long.startsWith(`${short}[`)
}

/** Adds the place in the file, unless the value came from a flag or a variable. */
function withPlace(
  problem: ConfigProblem,
  file: ConfigFile | null,
  outside: ReadonlySet<string>,
): ConfigProblem {
  const isOutside = [...outside].some((path) => isWithin(path, problem.path))
  const place = isOutside ? null : (file?.placeOf(problem.path) ?? null)
  return place === null ? problem : { ...problem, place }
}

/** Sets a field from a text of the environment or a flag, converted to the field's type. */
function put(
  target: Record<string, unknown>,
  { path, node }: ConfigField,
  text: string,
  source: string,
  problems: ConfigProblem[],
): void {
  let value: unknown
  try {
    value = parseText(node, text)
  } catch {
    problems.push({ path, message: `${source} must be JSON` })
    return
  }
  const keys = path.split('.')
  const last = keys.pop()!
  let parent = target
  for (const key of keys) {
    const child = parent[key]
    // A section of the wrong type is the file's mistake, which the check of its shape reports.
    if (child !== undefined && (typeof child !== 'object' || child === null)) return
    parent[key] = child ?? {}
    parent = parent[key] as Record<string, unknown>
  }
  parent[last] = value
}

function parseText(node: SchemaNode, text: string): unknown {
  if (isNumber(node) || node.anyOf?.some(isNumber))
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (node.type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (node.type === 'array' || node.patternProperties) return JSON.parse(text)
  return text
}

function isNumber({ type }: SchemaNode): boolean {
  return type === 'integer' || type === 'number'
}

function withPresets(given: Record<string, unknown>): Record<string, unknown> {
  const chains = isRecord(given.chains)
    ? { chains: merged(given.chains, presets, Object.keys(given.chains)) }
    : {}
  const plans = isRecord(given.plans ?? {}) ? { plans: withBuiltInPlans(given.plans ?? {}) } : {}
  return { ...given, ...chains, ...plans }
}

function withBuiltInPlans(given: object): Record<string, unknown> {
  const names = new Set([...Object.keys(builtInPlans), ...Object.keys(given)])
  return merged(given as Record<string, unknown>, builtInPlans, [...names])
}

/**
 * Merges each given object over the built-in one of its name. Values that are not objects are left
 * for the checks.
 */
function merged(
  given: Readonly<Record<string, unknown>>,
  builtIn: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  names: readonly string[],
): Record<string, unknown> {
  const entries = names.map((name) => {
    // Descriptions of the preset, not settings.
    const {
      aliases: _,
      checked: _checked,
      ...preset
    } = Object.hasOwn(builtIn, name) ? builtIn[name]! : {}
    const own = Object.hasOwn(given, name) ? given[name] : {}
    return [name, isRecord(own) ? { ...preset, ...own } : own]
  })
  return Object.fromEntries(entries)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const chainFieldPath = /^chains\.([^.]+)\.\w+$/

function withPresetHint(problem: ConfigProblem): ConfigProblem {
  const name = chainFieldPath.exec(problem.path)?.[1]
  if (name === undefined || !problem.message.startsWith('is required')) return problem
  if (Object.hasOwn(presets, name)) return problem
  const meant = findChain(name)?.name
  const near = suggestChain(name)
  const which = meant
    ? `those of this chain are under ${meant}`
    : `${near === null ? '' : `did you mean ${near}? `}\`chaintape chains\` lists those that have`
  const hint = `${name} has no built-in values; ${which}`
  return { path: problem.path, message: `${problem.message} (${hint})` }
}

function unknownEnvNames(
  env: Readonly<Record<string, string | undefined>>,
  fields: readonly ConfigField[],
): ConfigProblem[] {
  const known = [configFileEnvName, ...fields.flatMap(({ envNames }) => envNames)]
  return Object.keys(env)
    .filter((name) => name.startsWith('CHAINTAPE_') && !known.includes(name))
    .map((name) => {
      const near = nearestWord(name, known)
      const hint = near === null ? '' : `; did you mean ${near}?`
      return { path: name, message: `is not a known variable${hint}` }
    })
}
