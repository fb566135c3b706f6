// Links between Markdown pages: every target exists and has the heading that the anchor names, and
// pages that code, scripts and deploy files mention exist.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { slugOf } from '../docs/.vitepress/pages.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const isSkipped =
  /(^|\/)(node_modules|dist|\.git|\.chaintape|\.vitepress)(\/|$)|static\/(terminal|docs)\//

/** Text files below a folder, by their path from the root. */
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name))
    .filter((name) => /\.(md|ts|tsx|js|sh|html|json|ya?ml|service)$/.test(name))
    .filter((name) => !isSkipped.test(name) && statSync(join(root, name)).isFile())

const files = [
  ...['docs', 'packages', 'deploy', 'examples', 'bench', 'test', '.github'].flatMap(filesIn),
  ...readdirSync(root).filter((name) => /\.(md|js|json)$/.test(name)),
]
const pages = files.filter((name) => name.endsWith('.md'))

/** A page without what code blocks and code spans contain; its lines keep their numbers. */
function proseOf(text: string): string {
  return text
    .replace(/^( *)```[\s\S]*?^\1```/gm, (code) => code.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()<>#]/g, ' '))
}

/** Anchors of a page's headings, as GitHub and the site make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  const counts = new Map<string, number>()
  const lines = text.replace(/^( *)```[\s\S]*?^\1```/gm, '').split('\n')
  for (const line of lines) {
    const heading = /^#{1,6} (.+?)\s*$/.exec(line)?.[1]
    for (const [, id] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id!)
    if (heading === undefined) continue
    const slug = slugOf(heading)
    const repeats = counts.get(slug) ?? 0
    counts.set(slug, repeats + 1)
    anchors.add(repeats === 0 ? slug : `${slug}-${repeats}`)
  }
  return anchors
}

const anchorsByPage = new Map(pages.map((page) => [page, anchorsOf(read(page))]))

/** Reports the targets in a page that do not exist. */
function brokenLinks(page: string, text: string): string[] {
  const broken: string[] = []
  for (const [at, line] of proseOf(text).split('\n').entries()) {
    const links = [
      ...line.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
      ...line.matchAll(/^\[[^\]]+\]:\s+(\S+)/g),
      ...line.matchAll(/<(?:a|img)\b[^>]*\s(?:href|src)="([^"]+)"/g),
    ].map(([, href]) => href!)
    for (const href of links) {
      if (/^[a-z][a-z+.-]*:|^\//i.test(href)) continue
      const [path, anchor] = href.split('#') as [string, string?]
      const target = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path))
      const isThere = !target.startsWith('..') && existsSync(join(root, target))
      const hasAnchor = anchor === undefined || anchorsByPage.get(target)?.has(anchor) === true
      if (!isThere || !hasAnchor) broken.push(`${page}:${at + 1}: ${href}`)
    }
  }
  return broken
}

test('default: every link of every Markdown page has a target, and its anchor a heading', () => {
  expect(pages.length).toBeGreaterThan(30)
  expect(pages.flatMap((page) => brokenLinks(page, read(page)))).toEqual([])
})

test('behavior: a missing page, a missing heading and a missing picture are found', () => {
  const text = [
    '[a](none.md) [b](rest.md#what-holds-everywhere) [c](rest.md#nothing) ![d](none.webp)',
    '`[e](none.md)` <img src="none.png" /> [f](#g) [h](https://example.com/none)',
    '```\n[i](none.md)\n```',
    '[j]: none.md',
  ].join('\n')
  expect(brokenLinks('docs/reference/fields.md', text)).toEqual([
    'docs/reference/fields.md:1: none.md',
    'docs/reference/fields.md:1: rest.md#nothing',
    'docs/reference/fields.md:1: none.webp',
    'docs/reference/fields.md:2: #g',
    'docs/reference/fields.md:2: none.png',
    'docs/reference/fields.md:6: none.md',
  ])
})

test('behavior: every page of docs/ that any text mentions by its path exists', () => {
  const gone = files.flatMap((name) =>
    [...read(name).matchAll(/(?<![\w./:-])docs\/[\w/-]+\.md\b/g)]
      .map(([path]) => path)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${name}: ${path}`),
  )
  expect(gone).toEqual([])
})
