//! What the C calling convention sees of a function's type: sizes and kinds of its arguments and of
//! its result.

use std::any::type_name;

/// What a type is to the calling convention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// A floating-point number of so many bytes.
    Float(usize),
    /// An integer, a Boolean or an enumeration of so many bytes.
    Integer(usize),
    /// A pointer to something.
    Pointer(Box<Self>),
    /// A function.
    Function,
    /// Something behind a pointer that is nobody's business.
    Opaque,
    /// Nothing.
    Void,
}

impl Class {
    /// The class of a type.
    pub fn of<T>() -> Self {
        match Self::named(type_name::<T>()) {
            Self::Opaque => Self::Integer(size_of::<T>()),
            class => class,
        }
    }

    /// The class of a type by its name; what is not a pointer, a function or a number is opaque.
    fn named(name: &str) -> Self {
        let pointee = ["*const ", "*mut "]
            .iter()
            .find_map(|start| name.strip_prefix(start));
        if let Some(pointee) = pointee {
            return Self::Pointer(Box::new(Self::named(pointee)));
        }
        match name {
            "()" => Self::Void,
            "f64" => Self::Float(8),
            "f32" => Self::Float(4),
            "u8" | "i8" | "bool" => Self::Integer(1),
            "u16" | "i16" => Self::Integer(2),
            "u32" | "i32" => Self::Integer(4),
            "u64" | "i64" | "usize" | "isize" => Self::Integer(8),
            _ if name.contains("extern \"C\" fn") => Self::Function,
            _ => Self::Opaque,
        }
    }

    /// Whether two classes are passed in the same way; opaque pointees agree with all.
    pub fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pointer(a), Self::Pointer(b)) => {
                **a == Self::Opaque || **b == Self::Opaque || a.agrees(b)
            }
            _ => self == other,
        }
    }
}

/// Classes of the arguments and, last, of the result.
pub type Signature = Vec<Class>;

/// Whether two functions are called in the same way.
pub fn agree(ours: &Signature, theirs: &Signature) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| a.agrees(b))
}

/// Defines, for one number of arguments, the signature of a function and that of a pointer type.
macro_rules! arity {
    ($function:ident $pointer:ident $($argument:ident)*) => {
        /// Signature of a function.
        pub fn $function<$($argument,)* R>(_: unsafe extern "C" fn($($argument),*) -> R) -> Signature {
            vec![$(Class::of::<$argument>(),)* Class::of::<R>()]
        }

        /// Signature of a pointer type, from its null pointer.
        pub fn $pointer<$($argument,)* R>(
            _: Option<unsafe extern "C" fn($($argument),*) -> R>,
        ) -> Signature {
            vec![$(Class::of::<$argument>(),)* Class::of::<R>()]
        }
    };
}

arity!(function0 pointer0);
arity!(function1 pointer1 A);
arity!(function2 pointer2 A B);
arity!(function3 pointer3 A B C);
arity!(function4 pointer4 A B C D);
arity!(function5 pointer5 A B C D E);
arity!(function6 pointer6 A B C D E F);
arity!(function7 pointer7 A B C D E F G);
arity!(function8 pointer8 A B C D E F G H);
arity!(function9 pointer9 A B C D E F G H I);
arity!(function10 pointer10 A B C D E F G H I J);
arity!(function12 pointer12 A B C D E F G H I J K L);
