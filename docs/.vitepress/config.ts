// The documentation site that the service has at /docs. `npm run docs` serves the pages while they
// are written, without the forms of the API reference; `npm run build` builds the site again when a
// page has changed. A new page is in the sidebar without another line. Pages have no HTML tags:
// `<pair>` is text.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { transformerStyleToClass } from '@shikijs/transformers'
import { type DefaultTheme, defineConfig } from 'vitepress'
import {
  pageOf,
  pageSources,
  root,
  servedMarkdown,
  slugOf,
  summaryOf,
  targetOf,
  titleOf,
} from './pages.ts'

const base = '/docs/'

type Section = { folder: string; title: string; first: readonly string[] }

/** Sections in the order of the sidebar. Pages that are not named follow, by title. */
const sections: readonly Section[] = [
  { folder: 'start', title: 'Start', first: ['overview', 'quickstart', 'first-chain'] },
  { folder: 'guides', title: 'Guides', first: ['bot', 'dashboard', 'terminal'] },
  { folder: 'reference', title: 'Reference', first: ['api', 'rest', 'websocket', 'fields'] },
  {
    folder: 'operate',
    title: 'Operate',
    first: ['install', 'deploy', 'operating', 'upgrade', 'backup'],
  },
  { folder: 'inside', title: 'Inside', first: ['architecture', 'glossary', 'decisions/index'] },
]

// The policy of the site forbids inline styles: colors of code are classes of one style sheet.
const codeStyles = transformerStyleToClass({ classPrefix: 'code-' })
const isBuild = process.env.NODE_ENV === 'production'

type Page = { source: string; path: string; title: string; summary: string }

const pages: readonly Page[] = pageSources().map((source) => {
  const text = readFileSync(join(root, source), 'utf8')
  const path = pageOf(source)!.replace(/\.md$/, '')
  return { source, path, title: titleOf(text), summary: summaryOf(text) }
})

function pagesOf({ folder, first }: Section): Page[] {
  const rank = ({ path }: Page) => {
    const at = first.indexOf(path.slice(folder.length + 1))
    return at < 0 ? first.length : at
  }
  return pages
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title))
}

/**
 * Moves inline scripts into files and removes inline styles, which the policy of the site forbids.
 * The page's scripts set the styles again when they start.
 */
function withoutInlineCode(html: string, outDir: string): string {
  return html
    .replace(/ style="[^"]*"/g, '')
    .replace(
      /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/g,
      (_, attributes, text) =>
        `<script${attributes} src="${writeAsset(outDir, 'inline', 'js', text)}"></script>`,
    )
}

function writeAsset(outDir: string, name: string, extension: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  const path = `assets/${name}.${hash}.${extension}`
  mkdirSync(join(outDir, 'assets'), { recursive: true })
  writeFileSync(join(outDir, path), text)
  return base + path
}

/** Writes every page as Markdown at its address plus `.md`, and the list of pages, llms.txt. */
function writeMarkdown(outDir: string): void {
  for (const { source, path } of pages) {
    const file = resolve(outDir, `${path}.md`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, servedMarkdown(source, base))
  }
  const lists = shown.map((section) => {
    const lines = pagesOf(section).map(
      ({ path, title, summary }) => `- [${title}](${base}${path}.md): ${summary}`,
    )
    return `## ${section.title}\n\n${lines.join('\n')}\n`
  })
  const { summary } = pages.find(({ path }) => path === 'index')!
  const intro = `# Chaintape\n\n> ${summary}\n`
  const documents = `## Machine-readable\n\n- [OpenAPI](/openapi.json)\n- [AsyncAPI](/asyncapi.json)\n`
  writeFileSync(join(outDir, 'llms.txt'), [intro, ...lists, documents].join('\n'))
}

const shown = sections.filter((section) => pagesOf(section).length > 0)
const linkOf = ({ path }: Page) => `/${path.replace(/(^|\/)index$/, '$1')}`

const lineOf = (page: Page) => ({ text: page.title, link: linkOf(page) })

/** Lines of the sidebar. Pages of a folder within the section are below the folder's index. */
function linesOf(section: Section): DefaultTheme.SidebarItem[] {
  const depth = (page: Page) => page.path.split('/').length
  const all = pagesOf(section)
  return all
    .filter((page) => depth(page) === 2 || page.path.endsWith('/index'))
    .map((page) => {
      const folder = dirname(page.path)
      const below = all
        .filter(({ path }) => folder !== section.folder && path.startsWith(`${folder}/`))
        .filter((each) => each !== page)
        .sort((a, b) => a.path.localeCompare(b.path))
      return below.length === 0 ? lineOf(page) : { ...lineOf(page), items: below.map(lineOf) }
    })
}

export default defineConfig({
  title: 'Chaintape',
  description: 'Live market data of on-chain markets, from your own nodes.',
  base,
  srcDir: '..',
  srcExclude: [
    '{packages,test,examples,scripts,bench/peers}/**',
    'README.md',
    'CODE_OF_CONDUCT.md',
    '.*/**',
  ],
  rewrites: (source) => pageOf(source) ?? source,
  outDir: './.vitepress/dist',
  cleanUrls: true,
  metaChunk: true,
  lastUpdated: false,
  // A switch of themes without transitions would need an inline style, which the policy forbids.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 } },
  markdown: {
    // Pages say `<pair>` in prose: tags are text, as in a table of fields.
    html: false,
    // Comments in the usual themes lack contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    codeTransformers: isBuild ? [codeStyles] : [],
    config(md) {
      md.core.ruler.push('site-links', ({ env, tokens }) => {
        const source = String(env.realPath ?? env.path).slice(root.length + 1)
        // Indented code gets the box of fenced code, which scrolls on a phone.
        for (const token of tokens) if (token.type === 'code_block') token.type = 'fence'
        for (const { children } of tokens)
          for (const [at, token] of (children ?? []).entries()) {
            const href = token.type === 'link_open' ? token.attrGet('href') : null
            if (href === null) continue
            const target = targetOf(source, href)
            if (target !== null) token.attrSet('href', target.href)
            // Paths of the service are not below the base of the site.
            if (target?.isPage === false && target.href.startsWith('/'))
              token.attrSet('target', '_self')
            if (target !== null) continue
            token.tag = 'span'
            token.attrs = null
            const end = children!.slice(at).find(({ type }) => type === 'link_close')
            if (end) end.tag = 'span'
          }
      })
    },
  },
  transformHtml(html, _, { siteConfig: { outDir } }) {
    const styles = writeAsset(outDir, 'code', 'css', codeStyles.getCSS())
    return withoutInlineCode(html, outDir).replace(
      '</head>',
      `<link rel="stylesheet" href="${styles}"></head>`,
    )
  },
  buildEnd: ({ outDir }) => writeMarkdown(outDir),
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: shown.map((section) => ({
      text: section.title,
      link: linkOf(pagesOf(section)[0]!),
      activeMatch: `^/${section.folder}/`,
    })),
    sidebar: shown.map((section) => ({
      // Groups stay open: a group that folds is a button with a button inside.
      text: section.title,
      items: linesOf(section),
    })),
    search: { provider: 'local' },
    outline: [2, 3],
    externalLinkIcon: false,
  },
})
