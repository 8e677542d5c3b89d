//! Tokens that are read by the rules of the edition of this crate.

use proc_macro::{Group, Span, TokenStream, TokenTree};

/// The tokens, as if they stood in a crate of this one's edition. Costs a pass over them.
#[proc_macro]
pub fn of_its_edition(tokens: TokenStream) -> TokenStream {
    placed(tokens, Span::call_site())
}

fn placed(tokens: TokenStream, span: Span) -> TokenStream {
    let place = |token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                let inner = placed(group.stream(), span);
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            token => token,
        };
        token.set_span(span);
        token
    };
    tokens.into_iter().map(place).collect()
}
