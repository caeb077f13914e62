// Functions and types of Rust as token streams of syn's trees, without comments, documentation and layout.
// Paths on standard input; prints a JSON line for each file.
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::fmt::Write;
use std::io::BufRead;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Tokens as text. What rustfmt changes is left out: a last comma, a comma behind a block.
fn write(tokens: TokenStream, name: &str, out: &mut Vec<String>) {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < all.len() {
        match &all[at] {
            TokenTree::Punct(one) if one.as_char() == '#' => {
                let inner = matches!(all.get(at + 1), Some(TokenTree::Punct(p)) if p.as_char() == '!');
                let group = if inner { at + 2 } else { at + 1 };
                if let Some(TokenTree::Group(body)) = all.get(group) {
                    if body.stream().to_string().starts_with("doc =") {
                        at = group + 1;
                        continue;
                    }
                }
                out.push("#".into());
            }
            TokenTree::Punct(one) if one.as_char() == ',' => {
                let block = at > 0 && matches!(&all[at - 1], TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
                if at + 1 < all.len() && !block {
                    out.push(",".into());
                }
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                out.push(open.into());
                write(group.stream(), name, out);
                out.push(close.into());
            }
            TokenTree::Ident(one) if one == name => out.push("•".into()),
            other => out.push(other.to_string()),
        }
        at += 1;
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn hash(text: &str) -> String {
    // FNV-1a of 128 bits: equality is all that is asked.
    let mut value: u128 = 0x6c62272e07bb014262b821756295c58d;
    for byte in text.bytes() {
        value = (value ^ byte as u128).wrapping_mul(0x0000000001000000000000000000013B);
    }
    format!("{value:032x}")
}

#[derive(Default)]
struct Found {
    within: Vec<String>,
    key: String,
    rows: Vec<String>,
}

impl Found {
    fn add(&mut self, node: &impl ToTokens, ident: &syn::Ident, kind: &str) {
        let name = ident.to_string();
        let mut tokens = Vec::new();
        let stream = node.to_token_stream();
        let span = stream.span();
        write(stream, &name, &mut tokens);
        let mut full = self.within.clone();
        full.push(name);
        let mut row = String::new();
        let _ = write!(
            row,
            "{{\"name\":{},\"kind\":\"{}\",\"key\":{},\"first\":{},\"line\":{},\"last\":{},\"form\":\"{}\"}}",
            quoted(&full.join(".")), kind, quoted(&self.key), span.start().line, ident.span().start().line,
            span.end().line, hash(&tokens.join(" "))
        );
        self.rows.push(row);
    }

    fn inside(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.within.push(name);
        look(self);
        self.within.pop();
    }
}

fn target(kind: &syn::Type) -> String {
    match kind {
        syn::Type::Path(path) => path.path.segments.last().map(|one| one.ident.to_string()).unwrap_or_default(),
        syn::Type::Reference(one) => target(&one.elem),
        other => other.to_token_stream().to_string(),
    }
}

impl<'a> Visit<'a> for Found {
    fn visit_item_mod(&mut self, node: &'a syn::ItemMod) {
        self.inside(node.ident.to_string(), |me| visit::visit_item_mod(me, node));
    }
    fn visit_item_impl(&mut self, node: &'a syn::ItemImpl) {
        let mut key = Vec::new();
        if let Some((_, path, _)) = &node.trait_ {
            write(path.to_token_stream(), "", &mut key);
        }
        write(node.self_ty.to_token_stream(), "", &mut key);
        let before = std::mem::replace(&mut self.key, key.join(" "));
        self.inside(target(&node.self_ty), |me| visit::visit_item_impl(me, node));
        self.key = before;
    }
    fn visit_item_trait(&mut self, node: &'a syn::ItemTrait) {
        self.add(node, &node.ident, "class");
        self.inside(node.ident.to_string(), |me| visit::visit_item_trait(me, node));
    }
    fn visit_item_struct(&mut self, node: &'a syn::ItemStruct) {
        self.add(node, &node.ident, "class");
    }
    fn visit_item_enum(&mut self, node: &'a syn::ItemEnum) {
        self.add(node, &node.ident, "class");
    }
    fn visit_item_fn(&mut self, node: &'a syn::ItemFn) {
        self.add(node, &node.sig.ident, "callable");
        self.inside(node.sig.ident.to_string(), |me| visit::visit_item_fn(me, node));
    }
    fn visit_impl_item_method(&mut self, node: &'a syn::ImplItemMethod) {
        self.add(node, &node.sig.ident, "callable");
        self.inside(node.sig.ident.to_string(), |me| visit::visit_impl_item_method(me, node));
    }
    fn visit_trait_item_method(&mut self, node: &'a syn::TraitItemMethod) {
        self.add(node, &node.sig.ident, "callable");
        self.inside(node.sig.ident.to_string(), |me| visit::visit_trait_item_method(me, node));
    }
}

fn main() {
    for path in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut found = Found::default();
        let whole = match syn::parse_file(&text) {
            Ok(file) => {
                found.visit_file(&file);
                true
            }
            Err(_) => false,
        };
        println!("{{\"path\":{},\"whole\":{},\"symbols\":[{}]}}", quoted(&path), whole, found.rows.join(","));
    }
}
